import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granary } from '../../test/support/cli-rig.ts'
import { type FakeAnswer, startFakeApi } from '../../test/support/fake-api.ts'
import { type Route, routes } from '../api/routes.ts'
import { createClient } from '../client/client.ts'
import { systemClock } from '../lib/clock.ts'
import { commandOf } from './operation-command.ts'
import { createOutput } from './output.ts'
import type { Session } from './session.ts'

const path = '/api/v2/dashboards'
const call = ['api', 'GET', path, '--accept', 'application/x-ndjson']
const lines = (pieces: FakeAnswer['pieces']): FakeAnswer => ({
  headers: { 'content-type': 'application/x-ndjson' },
  ...(pieces && { pieces }),
})

test('lines are printed as they come', async () => {
  await using api = await startFakeApi()
  const shown = Promise.withResolvers<void>()
  api.on(
    'GET',
    path,
    lines(async function* () {
      yield '{"progress": {"percent": 10}}\n'
      await shown.promise
      yield '{"data":[]}\n'
    }),
  )
  const { code, stdout } = await granary(api.url, call, { onOutput: () => shown.resolve() })
  assert.deepEqual([code, stdout], [0, '{"progress":{"percent":10}}\n{"data":[]}\n'])
  assert.equal(api.seen[0]?.headers.accept, 'application/x-ndjson')
})

test('an error after the first line is an error, and what came before it stays', async () => {
  await using api = await startFakeApi()
  api.on(
    'GET',
    path,
    lines(async function* () {
      yield '{"n":1}\n'
      yield '{"status":422,"message":"too many rows"}\n'
    }),
  )
  const { code, stdout, stderr } = await granary(api.url, call)
  assert.deepEqual([code, stdout], [1, '{"n":1}\n'])
  assert.match(stderr, /^error: too many rows \(422 /)
})

test('Ctrl-C ends a stream', async () => {
  await using api = await startFakeApi()
  const left = Promise.withResolvers<void>()
  api.on(
    'GET',
    path,
    lines(async function* ({ signal }) {
      yield '{"n":1}\n'
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      left.resolve()
    }),
  )
  const stop = new AbortController()
  const ran = await granary(api.url, call, { signal: stop.signal, onOutput: () => stop.abort() })
  assert.equal(ran.code, 130)
  await left.promise
})

/** The command of an operation, declared for this test as one that streams. */
async function run(answer: NonNullable<Route['answer']>, given: FakeAnswer, json: boolean): Promise<string> {
  await using api = await startFakeApi()
  api.on('GET', path, given)
  const route: Route = routes['dashboards.list']
  route.answer = answer
  const printed: Uint8Array[] = []
  const print = (part: string | Uint8Array) => void printed.push(Buffer.from(part))
  const stdout = { isTTY: false, write: print, writeBytes: async (bytes: Uint8Array) => print(bytes) }
  const io = { stdout, stderr: stdout, env: {}, clock: systemClock } as unknown as Session['io']
  const session = {
    client: createClient({ url: api.url, credentials: { dashboardToken: 't' } }),
    output: createOutput(io, { json, quiet: false }),
    signal: new AbortController().signal,
  } as Session
  try {
    const command = commandOf('dashboards.list', {
      summary: '',
      examples: [],
      show: (_, piece) => `one ${JSON.stringify(piece)}`,
    })
    await command.run(session, {}, {})
    return Buffer.concat(printed).toString('latin1')
  } finally {
    delete route.answer
  }
}

test('the command of an operation that streams shows each piece, as text or as a line of JSON', async () => {
  const answer = lines(async function* () {
    yield '{"n":1}\n{"n":2}\n'
  })
  assert.equal(await run('ndjson', answer, false), 'one {"n":1}\none {"n":2}\n')
  assert.equal(await run('ndjson', answer, true), '{"n":1}\n{"n":2}\n')
  const type = 'text/csv'
  const bytes = Buffer.from('a,é\n').toString('latin1')
  assert.equal(await run({ type }, { headers: { 'content-type': type }, body: 'a,é\n' }, false), bytes)
})
