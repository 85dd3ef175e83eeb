import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { accessOf, passing, startGatewayRig, writer } from '../../test/support/gateway-rig.ts'
import { startTestReplica, type TestReplica } from '../../test/support/test-replica.ts'
import { AppError } from '../domain/errors.ts'
import { resolveRuntime } from '../engine/embedded/runtime.ts'
import { systemClock } from '../lib/clock.ts'
import type { StatementRequest } from './request.ts'
import { createStatements } from './statements.ts'

const runtime = resolveRuntime({ library: process.env.GRANARY_ENGINE_LIBRARY ?? '' })
let replica: TestReplica
before(async () => {
  if ('missing' in runtime) throw new Error(runtime.missing)
  replica = await startTestReplica(runtime)
  await replica.text('CREATE TABLE orders (id UInt64, customer String) ENGINE = MergeTree ORDER BY id')
})
after(() => replica.stop())

interface Line {
  kind: string
  rows?: unknown
  columns?: { name: string; type: string }[]
  [field: string]: unknown
}

async function start() {
  const rig = await startGatewayRig()
  const address = `unix:${replica.spec.socketPath}`
  const service = await rig.add('s', { access: accessOf('s'), replicas: [writer('w', { address })] })
  const statements = createStatements({ ask: rig.gateway.ask, clock: systemClock })
  const requestOf = (query: string, more: Partial<StatementRequest> = {}): StatementRequest => ({
    ...{ serviceId: 's', principal: 'key:admin', isReadOnly: false, query, queryId: newId() },
    ...{ signal: new AbortController().signal, ...more },
  })
  return {
    ...{ rig, service, statements, requestOf },
    run: (query: string, more: Partial<StatementRequest> = {}, maxRows = 1000) =>
      collect(statements.run(requestOf(query, more), maxRows)),
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  }
}

let ids = 0
const newId = () => `id-${++ids}`

async function collect(lines: AsyncIterable<string>): Promise<Line[]> {
  const found: Line[] = []
  for await (const line of lines) found.push(JSON.parse(line) as Line)
  return found
}

const rowsOf = (lines: Line[]): unknown[][] =>
  lines.flatMap(({ kind, rows }) => (kind === 'rows' ? (rows as unknown[][]) : []))

/** Waits until the engine runs a query of this id, or no longer runs one. */
async function untilRuns(queryId: string, isRunning: boolean): Promise<void> {
  const count = `SELECT count() FROM system.processes WHERE query_id = '${queryId}'`
  while ((await replica.text(count)).trim() !== (isRunning ? '1' : '0')) await setImmediate()
}

const failing = async (work: Promise<unknown>): Promise<AppError> => {
  const error = await work.then(
    () => assert.fail('no failure'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof AppError, String(error))
  return error
}

test('a statement is answered as columns, rows and done, with exact values', async () => {
  await using rigged = await start()
  const lines = await rigged.run(
    `SELECT toUInt64(18446744073709551615) AS big, toInt128(-5) AS wide, toDecimal64('1.10', 2) AS price,
      nan AS none, [toUInt64(1)] AS list, NULL AS nothing, 'a"\n' AS text, 0.1 AS float`,
    { queryId: 'exact' },
  )
  const columns = lines.find(({ kind }) => kind === 'columns')
  assert.deepEqual(columns?.columns?.[0], { name: 'big', type: 'UInt64' })
  assert.deepEqual(rowsOf(lines), [['18446744073709551615', '-5', '1.1', 'nan', ['1'], null, 'a"\n', 0.1]])
  const { elapsedMs, ...done } = lines.at(-1) as Line
  assert.ok(Number(elapsedMs) >= 0)
  assert.deepEqual(done, {
    ...{ kind: 'done', rows: 1, isTruncated: false, readRows: 1, readBytes: 1, writtenRows: 0 },
    queryId: 'exact',
  })
})

test('changes work for whoever may manage, and the engine refuses them to a reader', async () => {
  await using rigged = await start()
  const { run } = rigged
  const created = await run('CREATE TABLE made (n UInt8, text String) ENGINE = MergeTree ORDER BY n')
  assert.deepEqual(
    created.map(({ kind }) => kind),
    ['done'],
  )
  const inserted = await run(`INSERT INTO made VALUES (1, 'a;b'), (2, 'c')`)
  assert.equal(inserted.at(-1)?.['writtenRows'], 2)
  const reader = { isReadOnly: true, principal: 'key:reader' }
  assert.deepEqual(rowsOf(await run('SELECT text FROM made ORDER BY n', reader)), [['a;b'], ['c']])
  for (const query of [
    'DROP TABLE made',
    `INSERT INTO made VALUES (3, 'd')`,
    'SELECT 1 SETTINGS readonly = 0',
    'ALTER TABLE made DELETE WHERE 1',
  ]) {
    const { code, extra } = await failing(run(query, reader))
    assert.deepEqual([code, extra], ['FORBIDDEN', { permission: 'services:manage' }], query)
  }
  assert.equal((await failing(run('SELECT 1', { ...reader, settings: { readonly: 0 } }))).code, 'FORBIDDEN')
  assert.deepEqual(rowsOf(await run('SELECT count() FROM made')), [['2']])
})

test('parameters arrive as they are, settings and the database count', async () => {
  await using rigged = await start()
  const text = `a'\\\t\n\r{"b":"ü"}`
  const lines = await rigged.run(
    `SELECT {text:String}, {list:Array(String)}, {n:Int64}, {none:Nullable(Int8)}, currentDatabase(), {on:Bool},
      getSetting('max_threads')`,
    {
      parameters: { text, list: [text, 'x'], n: -5, none: null, on: true },
      ...{ database: 'system', settings: { max_threads: 3 } },
    },
  )
  assert.deepEqual(rowsOf(lines), [[text, [text, 'x'], '-5', null, 'system', true, 3]])
})

test('the query log tells which key sent a statement', async () => {
  await using rigged = await start()
  await rigged.run('SELECT 42', { queryId: 'logged', principal: 'key:6f1c' })
  const find = `SELECT user FROM system.query_log WHERE query_id = 'logged' AND type = 'QueryFinish'`
  assert.deepEqual(rowsOf(await rigged.run(find)), [['key:6f1c']])
})

test('a query with more rows than wanted ends there', async () => {
  await using rigged = await start()
  const lines = await rigged.run('SELECT number FROM system.numbers', { queryId: 'endless' }, 70_000)
  const rows = rowsOf(lines)
  assert.deepEqual([rows.length, rows.at(-1)], [70_000, ['69999']])
  assert.deepEqual([lines.at(-1)?.['rows'], lines.at(-1)?.['isTruncated']], [70_000, true])
  await untilRuns('endless', false)
  const whole = await rigged.run('SELECT number FROM numbers(10)', {}, 10)
  assert.deepEqual([whole.at(-1)?.['rows'], whole.at(-1)?.['isTruncated']], [10, false])
})

test('a reader that stops to read ends the query, and so does its signal', async () => {
  await using rigged = await start()
  const { statements, requestOf } = rigged
  const endless = 'SELECT number FROM system.numbers'
  for await (const line of statements.run(requestOf(endless, { queryId: 'left' }), 1e9))
    if (line.includes('rows')) break
  await untilRuns('left', false)
  const leaving = new AbortController()
  const work = rigged.run('SELECT count() FROM system.numbers', { queryId: 'gone', signal: leaving.signal })
  await untilRuns('gone', true)
  leaving.abort(new Error('enough'))
  await assert.rejects(work, /enough/)
  await untilRuns('gone', false)
})

test('a query is cancelled by its id: by its key, or by one that may manage', async () => {
  await using rigged = await start()
  const { statements, run } = rigged
  const query = 'SELECT count() FROM system.numbers'
  const signal = new AbortController().signal
  const reader = { serviceId: 's', principal: 'key:reader', isReadOnly: true, signal }
  const other = { ...reader, principal: 'key:other' }
  const admin = { ...reader, principal: 'key:admin', isReadOnly: false }
  for (const [queryId, who] of [
    ['own', reader],
    ['managed', admin],
  ] as const) {
    const work = failing(run(query, { queryId, principal: 'key:reader', isReadOnly: true }))
    await untilRuns(queryId, true)
    assert.equal((await failing(statements.cancel({ ...other, queryId }, true))).code, 'FORBIDDEN')
    await statements.cancel({ ...who, queryId }, true)
    assert.equal((await work).code, 'CANCELLED')
    await untilRuns(queryId, false)
  }
  assert.equal((await failing(statements.cancel({ ...admin, queryId: 'none' }, true))).code, 'NOT_FOUND')
  assert.equal((await failing(statements.cancel({ ...admin, queryId: 'none' }, false))).code, 'NOT_FOUND')
})

test('a query of another control process is cancelled too', async () => {
  await using rigged = await start()
  const elsewhere = createStatements({ ask: rigged.rig.gateway.ask, clock: systemClock })
  const work = failing(rigged.run('SELECT count() FROM system.numbers', { queryId: 'elsewhere' }))
  await untilRuns('elsewhere', true)
  const { query: _, ...request } = rigged.requestOf('', { queryId: 'elsewhere' })
  const foreign = { ...request, principal: 'key:other', isReadOnly: true }
  assert.equal((await failing(elsewhere.cancel(foreign, true))).code, 'FORBIDDEN')
  await elsewhere.cancel(request, true)
  assert.equal((await work).code, 'CANCELLED')
})

test('the same id cannot run twice at a time', async () => {
  await using rigged = await start()
  const leaving = new AbortController()
  const twice = { queryId: 'twice', signal: leaving.signal }
  const first = rigged.run('SELECT count() FROM system.numbers', twice).catch(() => 'ended')
  await untilRuns('twice', true)
  assert.equal((await failing(rigged.run('SELECT 1', { queryId: 'twice' }))).code, 'CONFLICT')
  leaving.abort()
  assert.equal(await first, 'ended')
  await untilRuns('twice', false)
  assert.deepEqual(rowsOf(await rigged.run('SELECT 1', { queryId: 'twice' })), [[1]])
})

const wrong: [query: string, code: string, offset: number | null, suggestions: string[]][] = [
  ["SELECT 'äöü'\n FROM orders WHERE 'ä' 5", 'syntax', 36, []],
  ['SELECT 1; SELECT 2', 'syntax', 8, []],
  ['  SELEC 1', 'syntax', 2, []],
  ["SELECT 'cusomer', cusomer FROM orders", 'invalid_value', 18, ['customer']],
  ['SELECT orders.cusomer FROM orders', 'invalid_value', 7, ['orders.customer']],
  ['SELECT cuont() FROM orders', 'invalid_value', 7, ['conv', 'count']],
  ['SELECT * FROM defualt.orders', 'invalid_value', 14, ['default']],
  ['SELECT 1 FROM (SELECT\n{a:UInt8})', 'invalid_value', 23, []],
]

test('an error says where it is, and which names are near', async () => {
  await using rigged = await start()
  for (const [query, code, offset, suggestions] of wrong) {
    const error = await failing(rigged.run(query))
    assert.equal(error.code, 'BAD_REQUEST', query)
    const [issue] = error.issues
    assert.deepEqual(
      [issue?.path, issue?.code, issue?.position],
      [['query'], code, offset ?? undefined],
      query,
    )
    assert.deepEqual([...(issue?.suggestions ?? [])], suggestions, query)
    const { position } = error.extra as { position: { offset: number; line: number; column: number } | null }
    assert.equal(position?.offset ?? null, offset)
    assert.ok(!error.message.includes('version'), error.message)
  }
  const { extra } = await failing(rigged.run("SELECT 'äöü'\n FROM orders WHERE 'ä' 5"))
  assert.deepEqual(extra['position'], { offset: 36, line: 2, column: 24 })
})

test('an error in the middle comes after rows, and limits have a code of their own', async () => {
  await using rigged = await start()
  const lines: string[] = []
  const query = `SELECT number, throwIf(number = 900000, 'in the middle') FROM numbers(1000000)
    SETTINGS max_threads = 1`
  const reading = async () => {
    for await (const line of rigged.statements.run(rigged.requestOf(query), 1e9)) lines.push(line)
  }
  assert.match((await failing(reading())).message, /in the middle/)
  assert.ok(lines.some((line) => line.startsWith('{"kind":"rows"')))
  const limited = rigged.run('SELECT number FROM numbers(10)', { settings: { max_result_rows: 3 } })
  assert.equal((await failing(limited)).code, 'LIMIT_EXCEEDED')
})

test('a format of its own is refused, totals are told', async () => {
  await using rigged = await start()
  const { issues } = await failing(rigged.run('SELECT 1 FORMAT CSV'))
  assert.match(issues[0]?.message ?? '', /names the format CSV/)
  const lines = await rigged.run('SELECT 1 AS a, count() FROM numbers(3) GROUP BY a WITH TOTALS')
  assert.deepEqual(lines.find(({ kind }) => kind === 'totals')?.['row'], [1, '3'])
})

test('a sleeping service is woken, which is told first; a query that waits can be cancelled', async () => {
  await using rigged = await start()
  const { rig, service, statements } = rigged
  const sleep = () => {
    service.access = accessOf('s', { state: 'idle', asleep: true })
    rig.gateway.refresh('s')
  }
  sleep()
  const signal = new AbortController().signal
  const who = { serviceId: 's', principal: 'key:admin', isReadOnly: false, queryId: 'waits', signal }
  const waiting = statements.run({ ...who, query: 'SELECT 1' }, 10)
  assert.deepEqual(await waiting.next(), { done: false, value: '{"kind":"waking"}' })
  const rest = failing(waiting.next())
  await statements.cancel(who, false)
  assert.equal((await rest).code, 'CANCELLED')
  rig.onWake = () => {
    service.access = accessOf('s')
  }
  sleep()
  const lines = await passing(rig, rigged.run('SELECT 1'))
  assert.equal(lines[0]?.kind, 'waking')
  assert.deepEqual(rowsOf(lines), [[1]])
})

test('nothing of a large result is kept: the engine waits for the reader', async () => {
  await using rigged = await start()
  const lines = rigged.statements.run(
    rigged.requestOf(`SELECT repeat('x', 1000) FROM system.numbers`, { queryId: 'slow' }),
    1e9,
  )
  while (!String((await lines.next()).value).startsWith('{"kind":"rows"')) {}
  const read = `SELECT read_rows FROM system.processes WHERE query_id = 'slow'`
  let last = ''
  for (let now = await replica.text(read); now !== last; now = await replica.text(read)) last = now
  // The engine has some blocks of 65 000 rows in its hands, and reads no more.
  assert.ok(Number(last) < 2_000_000, last)
  await lines.return()
  await untilRuns('slow', false)
})

test('a result is exported in the format of a file', async () => {
  await using rigged = await start()
  const { statements, requestOf } = rigged
  const whole = async (query: string, format: Parameters<typeof statements.export>[1]) => {
    const { type, fileName, bytes } = await statements.export(requestOf(query, { queryId: 'file' }), format)
    const pieces: Uint8Array[] = []
    for await (const piece of bytes) pieces.push(piece)
    return { type, fileName, bytes: Buffer.concat(pieces) }
  }
  const csv = await whole(`SELECT toUInt64(18446744073709551615) AS n, 'a"b' AS t`, 'CSVWithNames')
  assert.equal(csv.bytes.toString(), '"n","t"\n18446744073709551615,"a""b"\n')
  assert.deepEqual([csv.type.split(';')[0], csv.fileName], ['text/csv', 'query-file.csv'])
  const parquet = await whole('SELECT number FROM numbers(100000)', 'Parquet')
  assert.equal(parquet.bytes.subarray(0, 4).toString(), 'PAR1')
  assert.equal(parquet.bytes.subarray(-4).toString(), 'PAR1')
  assert.equal((await failing(whole('SELECT nothing', 'JSONEachRow'))).code, 'BAD_REQUEST')
  const late = 'SELECT number, throwIf(number = 900000) FROM numbers(1000000) SETTINGS max_threads = 1'
  assert.equal((await failing(whole(late, 'TSVWithNames'))).code, 'BAD_REQUEST')
  const { bytes } = await statements.export(
    requestOf('SELECT number FROM system.numbers', { queryId: 'file' }),
    'TSVWithNames',
  )
  for await (const _ of bytes) break
  await untilRuns('file', false)
  assert.equal((await whole('SELECT 1', 'TSVWithNames')).bytes.toString(), '1\n1\n')
})
