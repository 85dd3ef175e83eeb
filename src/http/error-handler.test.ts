import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import Fastify from 'fastify'
import { createRecordingLog } from '../../test/support/recording-log.ts'
import { AppError } from '../domain/errors.ts'
import { createErrorHandler } from './error-handler.ts'
import { schemes, unauthorized } from './unauthorized.ts'

/** The answer and the log lines of a handler that throws this error. */
async function thrown(error: unknown, url = '/v1/x', headers: Record<string, string> = {}) {
  const log = createRecordingLog()
  const app = Fastify({ logger: false, genReqId: () => 'request-1' })
  app.setErrorHandler(createErrorHandler(log))
  app.get('/*', async () => {
    throw error
  })
  const response = await app.inject({ url, headers })
  await app.close()
  return { status: response.statusCode, headers: response.headers, body: response.json(), lines: log.lines }
}

test('what nobody expected is a bare 500, and once in the log with the id of the request', async () => {
  const cause = new Error('no such column: password_hash')
  const { status, body, lines } = await thrown(cause)
  assert.equal(status, 500)
  assert.equal(body.error, 'INTERNAL_ERROR: something went wrong on our side')
  assert.equal(lines.length, 1)
  assert.equal(lines[0]?.level, 'error')
  assert.deepEqual(lines[0]?.detail, { requestId: 'request-1', err: cause, detail: undefined })
  const dashboards = await thrown(cause, '/api/v2/x')
  assert.deepEqual(dashboards.body, { message: 'something went wrong on our side' })
})

test('a store that cannot be reached is 503 with a time to come back', async () => {
  const down = [
    Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
    Object.assign(new Error('x'), { code: '57P01' }),
    Object.assign(new Error('x'), { code: '08006' }),
    new Error('Connection terminated unexpectedly'),
  ]
  for (const error of down) {
    const { status, headers, body, lines } = await thrown(error)
    assert.deepEqual([status, body.code, headers['retry-after']], [503, 'UNAVAILABLE', '1'])
    assert.equal(lines.length, 1)
  }
})

test('a full disk is 507, whichever store it is under', async () => {
  const database = new DatabaseSync(':memory:')
  database.exec('create table t (x); pragma max_page_count = 3')
  const full = () => database.prepare('insert into t values (?)').run('x'.repeat(100_000))
  const sqlite = await Promise.resolve()
    .then(full)
    .catch((error: unknown) => error)
  database.close()
  const codes = ['53100', 'ENOSPC', 'EDQUOT'].map((code) => Object.assign(new Error('x'), { code }))
  for (const error of [sqlite, ...codes]) {
    const { status, body, lines } = await thrown(error)
    assert.deepEqual([status, body.code], [507, 'INSUFFICIENT_STORAGE'])
    assert.equal(body.error, 'INSUFFICIENT_STORAGE: the disk that the store is on is full')
    assert.equal(lines.length, 1)
  }
})

test('what callers do wrong is not a fault of ours', async () => {
  const hungUp = Object.assign(new Error('aborted'), { code: 'ECONNRESET', statusCode: 400 })
  for (const error of [hungUp, new AppError('NOT_FOUND', 'no such thing')]) {
    const { status, lines } = await thrown(error)
    assert.ok(status < 500)
    assert.deepEqual(lines, [])
  }
})

test('a status of the framework outside of 4xx is not believed', async () => {
  const { status } = await thrown(Object.assign(new Error('x'), { statusCode: 302 }))
  assert.equal(status, 500)
})

test('no browser opens a dialog over a page whose script asks without a session', async () => {
  const challenge = async (headers: Record<string, string>) => {
    const answer = await thrown(unauthorized(schemes.management, 'who?'), '/v1/x', headers)
    return String(answer.headers['www-authenticate']).split(' ')[0]
  }
  const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' }
  assert.equal(await challenge({ ...browser, accept: '*/*' }), 'Session')
  assert.equal(await challenge({ ...browser, accept: 'text/html,*/*;q=0.8' }), 'Basic')
  assert.equal(await challenge({ 'user-agent': 'curl/8.5.0', accept: '*/*' }), 'Basic')
})
