import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClientError } from '../../client/client-error.ts'
import { CliError } from '../failure.ts'
import { markedFailure } from './marked-failure.ts'

const refused = (extra: Record<string, unknown>) =>
  new ClientError('BAD_REQUEST', 'Syntax error', { status: 400, extra, requestId: 'r' })

test('the mark stands below the place, on the line that is wrong, however long it is', () => {
  const query = `SELECT\n\tnmae FROM t WHERE ${'x'.repeat(200)}`
  const error = markedFailure(
    refused({ position: { offset: 8, line: 2, column: 2 }, suggestions: ['name'] }),
    query,
  )
  assert.ok(error instanceof CliError)
  const [line = '', mark = '', maybe, id] = error.hints
  assert.equal(line[mark.indexOf('^')], 'n')
  assert.ok(line.startsWith('line 2:  nmae FROM t') && line.length < 120)
  assert.deepEqual([maybe, id, error.exitCode], ['maybe: name', 'request id: r', 1])
  const far = markedFailure(refused({ position: { offset: 150, line: 2, column: 150 } }), query) as CliError
  assert.equal(far.hints[0]?.[far.hints[1]?.indexOf('^') ?? -1], 'x')
})

test('an error without a place stays as it is', () => {
  const error = refused({ position: null, suggestions: [] })
  assert.equal(markedFailure(error, 'SELECT 1'), error)
  const other = new Error('x')
  assert.equal(markedFailure(other, ''), other)
})
