import assert from 'node:assert/strict'
import { type Duplex, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { accessOf, passing, startGatewayRig, writer } from '../../../test/support/gateway-rig.ts'
import { startTestReplica, type TestReplica } from '../../../test/support/test-replica.ts'
import { resolveRuntime } from '../../engine/embedded/runtime.ts'
import type { Principal, Question } from './ask.ts'
import { QueryError } from './query-error.ts'

const runtime = resolveRuntime({ library: process.env.GRANARY_ENGINE_LIBRARY ?? '' })
const pipe: Principal = { name: 'pipe:orders', role: 'readWrite' }
const tile: Principal = { name: 'tile:1', role: 'readOnly' }

let replica: TestReplica
before(async () => {
  if ('missing' in runtime) throw new Error(runtime.missing)
  replica = await startTestReplica(runtime)
})
after(() => replica.stop())

async function start() {
  const rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', address())] })
  const ask = (statement: string, question: Partial<Question> = {}) =>
    rig.gateway.ask({ serviceId: 's', principal: tile, countsAsActivity: false, statement, ...question })
  return { rig, service, ask, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() }
}

const address = () => ({ address: `unix:${replica.spec.socketPath}` })

/** Waits until the engine runs a query of this id, or no longer runs one. */
async function untilRuns(queryId: string, isRunning: boolean): Promise<void> {
  const count = `SELECT count() FROM system.processes WHERE query_id = '${queryId}'`
  while ((await replica.text(count)).trim() !== (isRunning ? '1' : '0')) await setImmediate()
}

test('a question is answered by the engine, under the name, settings and format of who asks', async () => {
  await using rigged = await start()
  const { ask } = rigged
  const principal = { ...tile, settings: { max_result_rows: '3' } }
  const answer = await ask(`SELECT user, query_id FROM system.processes WHERE query_id = 'mine'`, {
    ...{ principal, format: 'JSONEachRow', queryId: 'mine' },
  })
  assert.deepEqual([answer.status, answer.exception], [200, null])
  assert.equal(answer.headers['x-clickhouse-query-id'], 'mine')
  assert.deepEqual(JSON.parse(await text(answer.body)), { user: 'tile:1', query_id: 'mine' })
  const tooLong = await ask('SELECT number FROM numbers(10)', { principal })
  assert.equal(tooLong.exception?.code, 396)
})

test('a stream is inserted as it comes, and counts as activity only where that is said', async () => {
  await using rigged = await start()
  const { ask, rig } = rigged
  const table = 'asked_insert'
  const run = async (statement: string, question: Partial<Question> = {}) => {
    const { exception, body } = await ask(statement, { principal: pipe, ...question })
    assert.equal(exception, null)
    return text(body)
  }
  await run(`CREATE TABLE ${table} (n UInt64) ENGINE = MergeTree ORDER BY n`)
  async function* rows() {
    for (let n = 0; n < 20; n++) yield Buffer.from(`${'7\n'.repeat(10_000)}`)
  }
  const insert = `INSERT INTO ${table} FORMAT TSV`
  const running: number[] = []
  async function* watched() {
    for await (const piece of rows()) {
      running.push(rig.gateway.activity('s').background)
      yield piece
    }
  }
  await run(insert, { body: Readable.from(watched(), { objectMode: false }) })
  assert.deepEqual(new Set(running), new Set([1]), 'the service does not fall asleep under an insert')
  assert.equal(rig.gateway.activity('s').background, 0)
  assert.equal(await run(`SELECT count(), sum(n) FROM ${table}`), '200000\t1400000\n')
  assert.deepEqual(rig.gateway.activity('s').queries, 0)
  assert.equal(rig.gateway.activity('s').lastQueryEndedAtMs, null)
  await run(insert, { body: rows(), countsAsActivity: true })
  assert.equal(await run(`SELECT count() FROM ${table}`), '400000\n')
  const { queries, inFlight, receivedBytes, lastQueryEndedAtMs } = rig.gateway.activity('s')
  assert.deepEqual([queries, inFlight, receivedBytes], [1, 0, 400_000])
  assert.notEqual(lastQueryEndedAtMs, null)
})

test('records that cannot be read are answered, where their number is given', async () => {
  await using rigged = await start()
  const { ask } = rigged
  await ask('CREATE TABLE asked_records (n UInt64) ENGINE = MergeTree ORDER BY n', { principal: pipe })
  const { exception, body } = await ask(
    `INSERT INTO asked_records SELECT n FROM input('n UInt64') FORMAT JSONEachRow`,
    { principal: pipe, records: 2, body: Readable.from(['{"n":1}\n', '{"n":"one"}\n']) },
  )
  assert.equal(exception, null)
  assert.equal(await text(body), '{"rows":1,"rejects":[1]}')
})

test('a body that fails inserts nothing, and one that is refused is ended', async () => {
  await using rigged = await start()
  const { ask } = rigged
  const table = 'asked_failure'
  await ask(`CREATE TABLE ${table} (n UInt64) ENGINE = MergeTree ORDER BY n`, { principal: pipe })
  async function* failing() {
    yield '1\n'
    throw new Error('the source is gone')
  }
  const insert = `INSERT INTO ${table} FORMAT TSV`
  await assert.rejects(ask(insert, { principal: pipe, body: failing() }), /the source is gone/)
  const endless = new Readable({
    read() {
      this.push('2\n'.repeat(1000))
    },
  })
  const refused = await ask(insert, { body: endless })
  assert.equal(refused.exception?.code, 164)
  assert.match(refused.exception?.message ?? '', /^Code: 164\. DB::Exception: /)
  assert.equal(endless.destroyed, true)
  const { body } = await ask(`SELECT count() FROM ${table}`)
  assert.equal(await text(body), '0\n')
})

test('a large answer waits for its reader, and its end by the signal or the reader ends the query', async () => {
  await using rigged = await start()
  const { ask } = rigged
  const endless = 'SELECT number FROM system.numbers'
  const aborting = new AbortController()
  const { body } = await ask(endless, { queryId: 'aborted', signal: aborting.signal })
  // An unbounded buffer would grow beyond the limit while the engine answers these queries.
  for (let times = 0; times < 20; times++) await untilRuns('aborted', true)
  assert.ok(body.readableLength + (body as Duplex).writableLength < 1024 * 1024)
  aborting.abort()
  await assert.rejects(text(body), { name: 'AbortError' })
  await untilRuns('aborted', false)
  const left = await ask(endless, { queryId: 'left' })
  for await (const bytes of left.body) {
    assert.ok((bytes as Buffer).length > 0)
    break
  }
  await untilRuns('left', false)
  const waiting = new AbortController()
  const sleeping = ask('SELECT sleepEachRow(1) FROM numbers(100) SETTINGS max_block_size = 1', {
    ...{ queryId: 'waiting', signal: waiting.signal, principal: { ...tile, settings: waitToTheEnd } },
  })
  await untilRuns('waiting', true)
  waiting.abort(new Error('enough'))
  await assert.rejects(sleeping, /enough/)
  await untilRuns('waiting', false)
})

const waitToTheEnd = { wait_end_of_query: '1', function_sleep_max_microseconds_per_block: '0' }

test('a query that fails in the middle of its answer fails its reader with the exception', async () => {
  await using rigged = await start()
  const { ask } = rigged
  const { status, body } = await ask(
    `SELECT number, throwIf(number = 900000, 'in the middle') FROM numbers(1000000) SETTINGS max_threads = 1`,
  )
  assert.equal(status, 200)
  let bytes = 0
  const reading = async () => {
    for await (const piece of body) bytes += (piece as Buffer).length
  }
  await assert.rejects(reading(), (error: QueryError) => {
    assert.ok(error instanceof QueryError)
    assert.equal(error.code, 395)
    assert.match(error.message, /in the middle/)
    return !error.message.includes('__exception__')
  })
  assert.ok(bytes > 100_000)
})

test('a sleeping service is woken, and a question that keeps nobody awake is held like any other', async () => {
  await using rigged = await start()
  const { ask, rig, service } = rigged
  service.access = accessOf('s', { state: 'idle', asleep: true })
  rig.gateway.refresh('s')
  rig.onWake = () => {
    service.access = accessOf('s')
  }
  const answer = await passing(rig, ask('SELECT 1'))
  assert.equal(await text(answer.body), '1\n')
  assert.equal(rig.lookups.wake, 1)
  assert.ok(Number(answer.headers['x-granary-cold-start']) >= 0)
  const { inFlight, coldStarts, queries, lastQueryEndedAtMs } = rig.gateway.activity('s')
  assert.deepEqual([inFlight, coldStarts, queries, lastQueryEndedAtMs], [0, 0, 0, null])
})

test('roles hold, and sessions are of one principal', async () => {
  await using rigged = await start()
  const { ask } = rigged
  const create = 'CREATE TABLE asked_role (n UInt8) ENGINE = Memory'
  assert.equal((await ask(create)).exception?.code, 164)
  await assert.rejects(ask('SELECT 1', { principal: { name: 'default', role: 'readWrite' } }), /no name/)
  const session = { principal: pipe, session: 'one' }
  assert.equal((await ask('CREATE TEMPORARY TABLE kept (n UInt8)', session)).exception, null)
  assert.equal((await ask('SELECT count() FROM kept', session)).exception, null)
  const other = { ...session, principal: { ...pipe, name: 'pipe:other' } }
  assert.equal((await ask('SELECT count() FROM kept', other)).exception?.code, 60)
})

test('of a service that is not there, and after the stop, the answer is an exception', async () => {
  await using rigged = await start()
  const { ask, rig } = rigged
  const nowhere = await ask('SELECT 1', { serviceId: 'nowhere' })
  assert.deepEqual([nowhere.status, nowhere.exception?.code], [404, 279])
  const { body } = await ask('SELECT number FROM system.numbers', { queryId: 'stopped' })
  await passing(rig, rig.gateway.stop(1_000))
  await assert.rejects(text(body), /the server is stopping/)
  await untilRuns('stopped', false)
  assert.equal((await ask('SELECT 1')).status, 503)
})
