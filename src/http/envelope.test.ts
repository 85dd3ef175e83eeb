import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, invalid } from '../domain/errors.ts'
import type { Issue } from '../domain/issue.ts'
import { apiOf, wrapError, wrapResult } from './envelope.ts'

test('results have the envelope of their API; warnings only where there are any', () => {
  const wrap = (...input: Parameters<typeof wrapResult>): unknown => JSON.parse(wrapResult(...input))
  assert.deepEqual(wrap('management', 'r', '[1]', []), { status: 200, requestId: 'r', result: [1] })
  const warned = { status: 200, requestId: 'r', result: 1, warnings: ['"old"'] }
  assert.deepEqual(wrap('management', 'r', '1', ['"old"']), warned)
  assert.deepEqual(wrap('dashboards', 'r', '{}', ['old']), { data: {} })
})

test('errors have the shape of their API, and show nothing that is only for the log', () => {
  const extra = { currentState: 'running' }
  const error = new AppError('CONFLICT', 'not now', {
    extra,
    detail: 'internal',
    cause: new Error('internal'),
  })
  const management = { status: 409, error: 'CONFLICT: not now', requestId: 'r', code: 'CONFLICT', ...extra }
  assert.deepEqual(wrapError('management', 'r', error), management)
  assert.deepEqual(wrapError('dashboards', 'r', error), { message: 'not now' })
})

test('at most a thousand issues are listed, and the text has their number', () => {
  const issue: Issue = { path: ['a'], code: 'required', message: 'is required' }
  const error = invalid(Array(5_000).fill(issue))
  const { issues } = wrapError('dashboards', 'r', error) as { issues: Issue[] }
  assert.equal(issues.length, 1_000)
  assert.match(error.message, /and 4980 more$/)
})

test('a path belongs to the API that it begins like', () => {
  assert.equal(apiOf('/api/v2/dashboards'), 'dashboards')
  for (const path of ['/v1/organizations', '/', '/apis', '']) assert.equal(apiOf(path), 'management')
})
