import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FakeAnswer, type FakeApi, result, startFakeApi } from '../../test/support/fake-api.ts'
import { createLeapingClock } from '../../test/support/leaping-clock.ts'
import { createClient } from './client.ts'
import { ClientError } from './client-error.ts'

const path = '/api/v2/dashboards'
const connect = (api: FakeApi) =>
  createClient({ url: api.url, credentials: { dashboardToken: 't' }, clock: createLeapingClock() })

const streamed = (type: string, ...pieces: string[]): FakeAnswer => ({
  headers: { 'content-type': type },
  async *pieces() {
    yield* pieces
  },
})
const lines = (...pieces: string[]) => streamed('application/x-ndjson; charset=utf-8', ...pieces)

/** All pieces of an answer, and the error that it ended with. */
async function read(pieces: AsyncIterable<unknown>): Promise<{ got: unknown[]; error: ClientError | null }> {
  const got: unknown[] = []
  try {
    for await (const piece of pieces) got.push(piece)
    return { got, error: null }
  } catch (error) {
    assert.ok(error instanceof ClientError, String(error))
    return { got, error }
  }
}

test('lines become results, wherever the network cuts them', async () => {
  await using api = await startFakeApi()
  api.on('GET', path, lines('{"progress":', '{"percent":1}}\r\n\n{"a"', ':"', 'é"}\n{"data":[]}'))
  const { got, error } = await read(connect(api).stream('dashboards.list'))
  assert.deepEqual([got, error], [[{ progress: { percent: 1 } }, { a: 'é' }, { data: [] }], null])
  assert.match(api.seen[0]?.headers.accept ?? '', /^application\/x-ndjson/)
})

test('a last line that is an error is thrown, with its issues; one that is followed by another is a result', async () => {
  await using api = await startFakeApi()
  const issues = [{ path: ['series', 0, 'where'], code: 'not_found', message: 'no field servce' }]
  const late = JSON.stringify({ status: 400, message: 'series[0].where: no field servce', issues })
  api.on('GET', path, lines('{"n":1}\n', `${late}\n`), lines(`${late}\n`, '{"n":2}\n'))
  const failed = await read(connect(api).stream('dashboards.list'))
  assert.deepEqual(failed.got, [{ n: 1 }])
  const { status, code, message, issues: told } = failed.error ?? assert.fail()
  assert.deepEqual(
    [status, code, message, told],
    [400, 'BAD_REQUEST', 'series[0].where: no field servce', issues],
  )
  assert.deepEqual(await read(connect(api).stream('dashboards.list')), {
    got: [JSON.parse(late), { n: 2 }],
    error: null,
  })
})

test('the late error of the management API keeps its code and request', async () => {
  await using api = await startFakeApi()
  const late = { status: 503, error: 'UNAVAILABLE: the server stops', code: 'UNAVAILABLE', requestId: 'r' }
  api.on('GET', path, lines(`${JSON.stringify(late)}\n`))
  const { error } = await read(connect(api).stream('dashboards.list'))
  assert.deepEqual([error?.code, error?.message, error?.requestId], ['UNAVAILABLE', 'the server stops', 'r'])
})

test('events are read by their data, and an event of the name error is thrown', async () => {
  await using api = await startFakeApi()
  const late = '{"status":422,"message":"too many rows"}'
  const pieces = [
    'data: {"n":1}\n\n',
    ': still here\n\ndata: {"n"\ndata: :2}\n\n',
    `event: error\ndata: ${late}\n\n`,
  ]
  api.on('GET', path, streamed('text/event-stream', ...pieces))
  const { got, error } = await read(connect(api).stream('dashboards.list'))
  assert.deepEqual(got, [{ n: 1 }, { n: 2 }])
  assert.deepEqual([error?.status, error?.message], [422, 'too many rows'])
})

test('an error before the answer, and an answer at once, are as in a call', async () => {
  await using api = await startFakeApi()
  const refused = { status: 404, body: { message: 'no such thing' } }
  api.on('GET', path, refused, { body: { data: [{ name: 'Traffic' }] } })
  const { error } = await read(connect(api).stream('dashboards.list'))
  assert.deepEqual([error?.status, error?.message], [404, 'no such thing'])
  assert.deepEqual((await read(connect(api).stream('dashboards.list'))).got, [[{ name: 'Traffic' }]])
})

test('an answer that breaks off, or that is not what it says, is an error', async () => {
  await using api = await startFakeApi()
  const cut: FakeAnswer = {
    ...lines(),
    async *pieces() {
      yield '{"n":1}\n'
      throw new Error('cut')
    },
  }
  api.on('GET', path, cut, lines('<html>\n'), { status: 302, headers: { location: '/' } })
  const broken = await read(connect(api).stream('dashboards.list'))
  assert.equal(broken.error?.code, 'BROKEN_OFF')
  for (let i = 0; i < 2; i++)
    assert.equal((await read(connect(api).stream('dashboards.list'))).error?.code, 'BAD_ANSWER')
})

test('results arrive while the answer is still being made; a reader that stops, or aborts, ends the request', async () => {
  await using api = await startFakeApi()
  let left = Promise.withResolvers<void>()
  const endless: FakeAnswer = {
    ...lines(),
    async *pieces({ signal }) {
      yield '{"n":1}\n'
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      left.resolve()
    },
  }
  api.on('GET', path, endless)
  for await (const piece of connect(api).stream('dashboards.list')) {
    assert.deepEqual(piece, { n: 1 })
    break
  }
  await left.promise
  left = Promise.withResolvers<void>()
  const stop = new AbortController()
  await assert.rejects(
    async () => {
      for await (const _ of connect(api).stream('dashboards.list', { signal: stop.signal }))
        stop.abort(new Error('enough'))
    },
    { message: 'enough' },
  )
  await left.promise
})

test('a GET that is refused for now is repeated before it is streamed', async () => {
  await using api = await startFakeApi()
  api.on('GET', path, { status: 503, body: {} }, result({}), lines('{"n":1}\n'))
  const client = connect(api)
  await assert.rejects(client.rawStream('GET', '/nowhere'), { status: 404 })
  const { items, bytes } = await client.rawStream('GET', path)
  assert.equal(items, null)
  for await (const _ of bytes);
  assert.deepEqual((await read(client.stream('dashboards.list'))).got, [{ n: 1 }])
})
