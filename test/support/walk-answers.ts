import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import type { Operation } from '../../src/api/operation.ts'
import { type ErrorCode, errorCatalogue } from '../../src/domain/errors.ts'
import { issueCodes } from '../../src/domain/issue.ts'
import type { Answer } from './walk.ts'

export type ApiKind = 'management' | 'dashboard'

/** Fails unless the answer is a success in the envelope of its API, with a result as the operation declares it. */
export function assertSuccess(kind: ApiKind, operation: Operation, answer: Answer): void {
  assert.equal(answer.status, 200, answer.text)
  assertRequestId(answer.headers.get('x-request-id'))
  assert.ok(Number(answer.headers.get('x-ratelimit-limit')) > 0)
  if (operation.answer === 'text') {
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4; charset=utf-8$/)
    assert.equal(typeof answer.body, 'string')
    return
  }
  if (operation.answer === 'events') {
    assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.equal(answer.text, ':\n\n')
    return
  }
  if (operation.answer === 'ndjson') {
    assert.equal(answer.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
    for (const line of answer.text.trim().split('\n')) assertSchema(operation, JSON.parse(line))
    return
  }
  if (typeof operation.answer === 'object') return
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  if (kind === 'dashboard') {
    assert.deepEqual(Object.keys(answer.body), operation.meta ? ['data', 'meta'] : ['data'])
    assertSchema(operation, answer.body.data)
    return
  }
  const { status, requestId, result, warnings = [], ...rest } = answer.body
  assert.equal(status, 200)
  assert.equal(requestId, answer.headers.get('x-request-id'))
  assert.deepEqual(rest, {})
  assert.equal(warnings.length > 0, operation.deprecated !== undefined)
  assert.equal(answer.headers.has('deprecation'), operation.deprecated !== undefined)
  assertSchema(operation, result)
}

/** Fails unless the answer is an error in the shape of its API; a 400 must have issues. */
export function assertError(kind: ApiKind, answer: Answer, status: number, code?: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  assertRequestId(answer.headers.get('x-request-id'))
  const { body } = answer
  if (status === 400) assert.ok(body.issues?.length > 0, `no issues in ${answer.text}`)
  for (const issue of body.issues ?? []) {
    const { position, suggestions, ...always } = issue
    assert.deepEqual(Object.keys(always).sort(), ['code', 'message', 'path'])
    assert.ok(position === undefined || Number.isInteger(position))
    assert.ok(suggestions === undefined || Array.isArray(suggestions))
    assert.ok(issueCodes.includes(issue.code), issue.code)
    assert.ok(Array.isArray(issue.path) && issue.path.length > 0)
  }
  if (kind === 'dashboard') {
    assert.equal(typeof body.message, 'string')
    for (const name of Object.keys(body)) assert.ok(['message', 'issues'].includes(name), name)
    return
  }
  assert.equal(body.status, status)
  assert.equal(body.requestId, answer.headers.get('x-request-id'))
  assert.equal(body.error.split(':')[0], body.code)
  assert.ok(!('result' in body))
  assert.equal(errorCatalogue[body.code as ErrorCode]?.status, status)
  if (code) assert.equal(body.code, code)
}

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
;(addFormatsModule as unknown as (ajv: Ajv2020) => void)(ajv)
const compiled = new Map<string, ValidateFunction>()

/** Checks a result against the contract, including every format. */
export function assertSchema(operation: Operation, value: unknown): void {
  const validate = compiled.get(operation.id) ?? ajv.compile(operation.result)
  compiled.set(operation.id, validate)
  assert.ok(validate(value), JSON.stringify(validate.errors))
}

export function assertRequestId(text: string | null): void {
  assert.match(text ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
}
