import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, errorOfAnswer } from './api-error.ts'
import { sortIssues } from './issues.ts'

const issue = (path: (string | number)[], message: string) => ({
  path,
  code: 'invalid_value' as const,
  message,
})

test('issues land on the nearest field of the form, the others stay with the form', () => {
  const error = new ApiError('BAD_REQUEST', 'wrong', {
    status: 400,
    issues: [
      issue(['maxReplicaMemoryGb'], 'must be a multiple of 4'),
      issue(['ipAccessList', 2, 'source'], 'is no address'),
      issue(['region'], 'is not known'),
    ],
  })
  const { fields, others } = sortIssues(error, ['maxReplicaMemoryGb', 'ipAccessList'])
  assert.equal(fields['maxReplicaMemoryGb']?.message, 'must be a multiple of 4')
  assert.equal(fields['ipAccessList']?.message, 'is no address')
  assert.deepEqual(others, ['region: is not known'])
})

test('an error without issues is said by the form', () => {
  const body = {
    status: 409,
    code: 'CONFLICT',
    error: 'CONFLICT: it runs',
    requestId: 'r-1',
    currentState: 'running',
  }
  const error = errorOfAnswer(409, '', JSON.stringify(body))
  assert.deepEqual(sortIssues(error, ['name']), { fields: {}, others: ['it runs'] })
  assert.deepEqual(
    [error.code, error.requestId, error.extra],
    ['CONFLICT', 'r-1', { currentState: 'running' }],
  )
  assert.equal(errorOfAnswer(502, 'h', '<html>').isAway, true)
})
