import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createRecordingLog } from '../../test/support/recording-log.ts'
import type { Operation } from '../api/operation.ts'
import { Type } from '../api/schema.ts'
import { createClient } from '../client/client.ts'
import { AppError, invalid } from '../domain/errors.ts'
import type { Issue } from '../domain/issue.ts'
import { createExceptionReader } from '../lib/clickhouse/exception-reader.ts'
import { type AppDependencies, createApp } from './app.ts'
import type { AnyHandler } from './register-operation.ts'

/** An operation in the form of an entry of the table. */
const operation = {
  id: 'tests.count',
  method: 'GET',
  path: '/v1/count',
  summary: 'Counts.',
  permission: 'organization:view',
  params: Type.Object({}),
  result: Type.Object({ n: Type.Integer() }),
  errors: [],
} as unknown as Operation

type Call = { signal: AbortSignal }
type Produce = (call: Call) => AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>

async function createRig(t: TestContext, answer: Operation['answer'], produce: Produce, path = '/v1/count') {
  const log = createRecordingLog()
  const key = { id: 'k', organizationId: 'o', roles: ['admin'], serviceGrants: [] }
  const handler: AnyHandler = async (_, call) => produce(call as Call)
  const app = createApp({
    authenticator: {
      authenticate: () => ({ key, ipAddress: '', userAgent: '', requestId: '' }),
      forget() {},
    },
    rateLimiter: { take: () => ({}) },
    log: { ...log, isLevelEnabled: () => false },
    trustProxy: false,
    further: [[{ ...operation, path, ...(answer ? { answer } : {}) }, handler]],
  } as unknown as AppDependencies)
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => app.close())
  const { port } = app.server.address() as AddressInfo
  const open = async (): Promise<IncomingMessage> => {
    const sent = request({ host: '127.0.0.1', port, path, agent: false })
    sent.end()
    const [response] = await once(sent, 'response')
    response.on('error', () => undefined)
    return response as IncomingMessage
  }
  return { app, log, open, url: `http://127.0.0.1:${port}` }
}

async function read(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

async function* count(to: number) {
  for (let n = 1; n <= to; n += 1) yield { n, secret: 'never declared' }
}

test('results are written one by one, as lines or events, and only what is declared', async (t) => {
  const lines = await createRig(t, 'ndjson', () => count(3))
  const response = await lines.open()
  assert.deepEqual(
    [response.statusCode, response.headers['content-type']],
    [200, 'application/x-ndjson; charset=utf-8'],
  )
  assert.equal(await read(response), '{"n":1}\n{"n":2}\n{"n":3}\n')
  const events = await createRig(t, 'events', () => count(2))
  assert.equal(await read(await events.open()), 'data: {"n":1}\n\ndata: {"n":2}\n\n')
})

test('what goes wrong before the first piece is an ordinary error', async (t) => {
  const conflict = new AppError('CONFLICT', 'it cannot be counted now')
  const producers: Produce[] = [
    () => Promise.reject(conflict),
    // biome-ignore lint/correctness/useYield: it fails before it could.
    async function* () {
      throw conflict
    },
  ]
  for (const produce of producers) {
    const response = await (await createRig(t, 'ndjson', produce)).open()
    assert.equal(response.statusCode, 409)
    assert.match(await read(response), /^\{"status":409,"error":"CONFLICT: it cannot be counted now"/)
  }
})

test('what goes wrong later is the last line, and a fault of ours is logged without its text being told', async (t) => {
  const produce = async function* () {
    yield* count(1)
    throw new Error('password=hunter2')
  }
  const { open, log } = await createRig(t, 'ndjson', produce)
  const [first, last, ...rest] = (await read(await open())).split('\n')
  assert.deepEqual([first, rest], ['{"n":1}', ['']])
  const { status, code, error } = JSON.parse(last ?? '')
  assert.deepEqual([status, code], [500, 'INTERNAL_ERROR'])
  assert.doesNotMatch(error, /hunter2/)
  assert.equal(log.count('error', 'a request failed'), 1)
  const events = await createRig(t, 'events', produce)
  assert.match(await read(await events.open()), /\n\nevent: error\ndata: \{"status":500,/)
})

test('a late error of the dashboard API has its status in the line', async (t) => {
  const issues = [{ path: ['series', 0], code: 'limit_exceeded', message: 'too many rows' }]
  const produce = async function* () {
    yield* count(1)
    throw invalid(issues as Issue[])
  }
  const { open } = await createRig(t, 'ndjson', produce, '/api/v2/count')
  const [, last = ''] = (await read(await open())).split('\n')
  assert.deepEqual(JSON.parse(last), { status: 400, message: 'series[0]: too many rows', issues })
})

test('the client reads the results, and throws what went wrong later', async (t) => {
  const produce = async function* () {
    yield* count(2)
    throw new AppError('CONFLICT', 'it changed', { extra: { currentState: 'stopped' } })
  }
  for (const answer of ['ndjson', 'events'] as const) {
    const { url } = await createRig(t, answer, produce)
    const client = createClient({ url, credentials: { keyId: 'k', keySecret: 's' } })
    const { items } = await client.rawStream('GET', '/v1/count')
    const got: unknown[] = []
    await assert.rejects(
      async () => {
        for await (const item of items ?? []) got.push(item)
      },
      {
        name: 'ClientError',
        status: 409,
        code: 'CONFLICT',
        message: 'it changed',
        extra: { currentState: 'stopped' },
      },
    )
    assert.deepEqual(got, [{ n: 1 }, { n: 2 }])
  }
})

test('a type of its own is written as it is; where it breaks off, its reader sees that', async (t) => {
  const type = 'text/csv; charset=utf-8'
  const whole = await createRig(t, { type }, async function* () {
    yield 'a,b\n'
    yield Buffer.from('1,2\n')
  })
  const response = await whole.open()
  assert.equal(response.headers['content-type'], type)
  assert.equal(await read(response), 'a,b\n1,2\n')
  const broken = await createRig(t, { type }, async function* () {
    yield 'a,b\n'
    throw new AppError('CONFLICT', 'it changed')
  })
  const cut = await broken.open()
  const tag = String(cut.headers['x-clickhouse-exception-tag'])
  const parts: Buffer[] = []
  cut.on('data', (part: Buffer) => parts.push(part))
  await assert.rejects(once(cut, 'end'), { code: 'ECONNRESET' })
  const reader = createExceptionReader(tag)
  assert.equal(Buffer.from(reader.take(Buffer.concat(parts))).toString(), 'a,b\n')
  const { status, code, error } = JSON.parse(reader.text())
  assert.deepEqual([status, code, error], [409, 'CONFLICT', 'CONFLICT: it changed'])
})

test('when the caller goes away the signal aborts and the producer is told to end', async (t) => {
  const aborted = Promise.withResolvers<unknown>()
  const ended = Promise.withResolvers<void>()
  const { open } = await createRig(t, 'ndjson', async function* ({ signal }) {
    try {
      yield { n: 1 }
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      aborted.resolve(signal.reason)
      yield { n: 2 }
    } finally {
      ended.resolve()
    }
  })
  const response = await open()
  await once(response, 'data')
  response.destroy()
  assert.match(String(await aborted.promise), /the caller went away/)
  await ended.promise
})

test('a reader that takes nothing makes the producer wait', async (t) => {
  const pieces = 1_024
  const piece = 'x'.repeat(64 * 1024)
  let made = 0
  const { open } = await createRig(t, { type: 'text/plain' }, async function* () {
    for (; made < pieces; made += 1) {
      await setImmediate()
      yield piece
    }
  })
  const response = await open()
  for (let last = -1; last !== made; ) {
    last = made
    for (let turn = 0; turn < 200; turn += 1) await setImmediate()
  }
  assert.ok(made < pieces, 'all of it was made, and nobody has read any')
  assert.equal((await read(response)).length, pieces * piece.length)
})

test('when the server ends, streams end with a line that says so', async (t) => {
  const { app, open } = await createRig(t, 'ndjson', async function* ({ signal }) {
    yield { n: 1 }
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    signal.throwIfAborted()
  })
  const response = await open()
  const closed = app.close()
  const [, last = ''] = (await read(response)).split('\n')
  assert.equal(JSON.parse(last).code, 'UNAVAILABLE')
  await closed
})
