import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode, errorCatalogue, invalid, notFound, refuse } from './errors.ts'
import type { Issue } from './issue.ts'

const issue = (name: string): Issue => ({ path: [name], code: 'required', message: 'is required' })

test('every code has a status of an error, a meaning and a remedy', () => {
  for (const [code, { status, meaning, remedy }] of Object.entries(errorCatalogue)) {
    assert.match(code, /^[A-Z_]+$/)
    assert.ok(status >= 400 && status < 600, code)
    assert.match(meaning, /^[A-Z].*\.$/)
    assert.match(remedy, /^[A-Z].*\.$/)
    assert.equal(new AppError(code as ErrorCode, 'x').status, status)
  }
})

test('what is worth a repetition is what others or time can mend', () => {
  const retryable = Object.entries(errorCatalogue).filter(([, entry]) => entry.retryable)
  const codes = retryable.map(([code]) => code).sort()
  assert.deepEqual(codes, [
    'FAILED_DEPENDENCY',
    'INSUFFICIENT_STORAGE',
    'INTERNAL_ERROR',
    'TOO_MANY_REQUESTS',
    'UNAVAILABLE',
  ])
})

test('a 400 names its fields in the text too, the first twenty of them', () => {
  assert.equal(invalid([issue('a'), issue('b')]).message, 'a: is required; b: is required')
  const many = invalid(Array.from({ length: 25 }, (_, n) => issue(`f${n}`)))
  assert.match(many.message, /; f19: is required; and 5 more$/)
  assert.equal(many.issues.length, 25)
})

test('refuse throws only when there is something to refuse', () => {
  refuse([])
  assert.throws(() => refuse([issue('a')]), { code: 'BAD_REQUEST', status: 400 })
  assert.equal(notFound('pipe').message, 'no such pipe')
})
