// An answer from the cache is what the engine would answer: whatever happens to the table in between.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestReplica, type TestReplica } from '../../../test/support/test-replica.ts'
import { resolveRuntime } from '../../engine/embedded/runtime.ts'
import { type QueriesRig, sourceOf, startQueriesRig } from '../queries-rig.ts'
import { isSteady } from './cacheable.ts'

const startMs = Date.parse('2026-01-15T10:00:00Z')
const minute = 60_000
const span = { startMs, endMs: startMs + 60 * minute }

let replica: TestReplica
before(async () => {
  const runtime = resolveRuntime({ library: process.env['GRANARY_ENGINE_LIBRARY'] ?? '' })
  if ('missing' in runtime) throw new Error(runtime.missing)
  replica = await startTestReplica(runtime)
})
after(() => replica?.stop())

const insert = (table: string, minutes: string) =>
  replica.text(
    `INSERT INTO ${table} SELECT fromUnixTimestamp64Milli(${startMs} + ${minutes} * ${minute}), number % 3, 's' || toString(number % 2) FROM numbers(60)`,
  )

async function create(table: string, engine = 'MergeTree', more = '') {
  await replica.text(
    `CREATE TABLE ${table} (ts DateTime64(3), n UInt32, service String) ENGINE = ${engine} ORDER BY (n, ts) ${more}`,
  )
  await insert(table, 'number')
  return startQueriesRig(replica, sourceOf({ table }), { span })
}

/** Asks, and checks the answer against one that does not use the cache. */
async function checked(rig: QueriesRig, more: Parameters<QueriesRig['ask']>[2] = {}, groupBy: string[] = []) {
  const series = [{ groupBy }, { aggFn: 'sum' as const, field: 'n', groupBy }]
  const answer = await rig.ask('time', series, { granularity: '5m', ...more })
  const fresh = await rig.ask('time', series, { granularity: '5m', ...more, refresh: true })
  assert.deepEqual(answer.data, fresh.data)
  assert.ok(fresh.meta.stats.rowsRead > 0 || fresh.data.every((row) => row['series_0.data'] === 0))
  return answer.meta.stats
}

test('closed buckets are kept, and a later range reads only the others', async () => {
  await using rig = await create('kept')
  assert.deepEqual(await stats(rig, 0), { rows: 60, cached: false })
  assert.deepEqual(await stats(rig, 0), { rows: 0, cached: true })
  await insert('kept', '60 + number')
  // Ten minutes later: two of the twelve buckets are new.
  const { rows } = await stats(rig, 10)
  assert.ok(rows > 0, 'something was read')
  const { meta } = await rig.ask('time', [{}], { granularity: '5m', span: later(15) })
  assert.match(meta.sql[0] ?? '', new RegExp(iso(startMs + 70 * minute)))
  assert.doesNotMatch(meta.sql[0] ?? '', new RegExp(iso(startMs + 60 * minute)))

  async function stats(rig: QueriesRig, minutes: number) {
    const { meta } = await rig.ask('time', [{}], { granularity: '5m', span: later(minutes) })
    return { rows: meta.stats.rowsRead, cached: meta.stats.cached }
  }
})

const later = (minutes: number) => ({
  startMs: span.startMs + minutes * minute,
  endMs: span.endMs + minutes * minute,
})
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

const changes: Record<string, (table: string) => Promise<unknown>> = {
  'a late row': (table) => insert(table, '17'),
  'a row outside': (table) => insert(table, '300'),
  'a delete': (table) => replica.text(`DELETE FROM ${table} WHERE n = 1`),
  'a mutation': (table) =>
    replica.text(`ALTER TABLE ${table} UPDATE service = 'other' WHERE n = 1 SETTINGS mutations_sync = 2`),
  'a merge': (table) => replica.text(`OPTIMIZE TABLE ${table} FINAL`),
  'an insert and a merge': async (table) => {
    await insert(table, '40')
    await replica.text(`OPTIMIZE TABLE ${table} FINAL`)
  },
  'a truncation': (table) => replica.text(`TRUNCATE TABLE ${table}`),
  'a truncation and an insert': async (table) => {
    await replica.text(`TRUNCATE TABLE ${table}`)
    await insert(table, '30 + number % 7')
  },
  'a partition that is dropped': (table) => replica.text(`ALTER TABLE ${table} DROP PARTITION tuple()`),
  'another table of the name': async (table) => {
    await replica.text(`DROP TABLE ${table} SYNC`)
    await replica.text(
      `CREATE TABLE ${table} (ts DateTime64(3), n UInt32, service String) ENGINE = MergeTree ORDER BY n`,
    )
    await insert(table, 'number % 20')
  },
  'a column of another type': (table) =>
    replica.text(
      `ALTER TABLE ${table} MODIFY COLUMN service LowCardinality(String) SETTINGS mutations_sync = 2`,
    ),
}

for (const [what, change] of Object.entries(changes)) {
  test(`after ${what}, answers are what the engine answers`, async () => {
    const table = `changed_${what.replaceAll(' ', '_')}`
    await using rig = await create(table)
    for (const groupBy of [[], ['service'], ['n', 'service']]) await checked(rig, {}, groupBy)
    await insert(table, '20')
    await checked(rig)
    await change(table)
    for (const groupBy of [[], ['service'], ['n', 'service']]) await checked(rig, {}, groupBy)
    await change(table)
    await checked(rig)
  })
}

test('a row outside and a merge leave closed buckets kept', async () => {
  await using rig = await create('quiet')
  await checked(rig)
  await insert('quiet', '300')
  assert.equal((await checked(rig)).cached, true)
  await replica.text('OPTIMIZE TABLE quiet FINAL')
  assert.equal((await checked(rig)).cached, true)
  await insert('quiet', '7')
  const { rowsRead, cached } = await checked(rig)
  assert.equal(cached, false)
  assert.ok(rowsRead > 0)
})

test('tables that are no MergeTree, changing expressions and hidden groups are read anew', async () => {
  await replica.text('CREATE TABLE memory (ts DateTime64(3), n UInt32, service String) ENGINE = Memory')
  await insert('memory', 'number')
  await using memory = await startQueriesRig(replica, sourceOf({ table: 'memory' }), { span })
  await checked(memory)
  assert.equal((await checked(memory)).cached, false)
  await using rig = await create('hidden')
  const asked = { groupLimit: 2, granularity: '5m' } as const
  const first = await rig.ask('time', [{ groupBy: ['n', 'service'] }], asked)
  assert.deepEqual(first.meta.groups, { shown: 2, hidden: 4 })
  assert.deepEqual((await rig.ask('time', [{ groupBy: ['n', 'service'] }], asked)).data, first.data)
  const odd = { where: 'n >= 0 AND now() > ts', whereLanguage: 'sql' as const }
  await rig.ask('number', [odd])
  assert.equal((await rig.ask('number', [odd])).meta.stats.cached, false)
  const even = { where: 'n >= 0 AND lower(service) != toString(n)', whereLanguage: 'sql' as const }
  await rig.ask('number', [even])
  assert.equal((await rig.ask('number', [even])).meta.stats.cached, true)
  await insert('hidden', '5')
  assert.equal((await rig.ask('number', [even])).meta.stats.cached, false)
})

test('where merges remove rows, nothing stale is answered', async () => {
  await using rig = await create('replacing', 'ReplacingMergeTree')
  await checked(rig)
  await insert('replacing', 'number')
  await checked(rig)
  await replica.text('OPTIMIZE TABLE replacing FINAL')
  assert.equal((await checked(rig)).cached, false)
})

test('of rows that replace each other the last one counts, also in a span that the new row is not in', async () => {
  const engine = 'ReplacingMergeTree(version, is_deleted)'
  await replica.text(
    `CREATE TABLE moved (id UInt8, ts DateTime64(3), n UInt32, version UInt64, is_deleted UInt8) ENGINE = ${engine} ORDER BY id`,
  )
  const at = (minutes: number) => `fromUnixTimestamp64Milli(${startMs + minutes * minute})`
  const put = (id: number, minutes: number, version: number, isDeleted = 0) =>
    replica.text(`INSERT INTO moved SELECT ${id}, ${at(minutes)}, 1, ${version}, ${isDeleted}`)
  await using rig = await startQueriesRig(replica, sourceOf({ table: 'moved' }), { span })
  const counts = async () => {
    const { data } = await rig.ask('time', [{}], { granularity: '30m' })
    return data.map((row) => Number(row['series_0.data']))
  }
  for (const id of [1, 2, 3]) await put(id, 5, 1)
  assert.deepEqual(await counts(), [3, 0])
  await put(1, 35, 2)
  assert.deepEqual(await counts(), [2, 1])
  await put(2, 5, 2, 1)
  assert.deepEqual(await counts(), [1, 1])
  const { data, meta } = await rig.ask('search', [{}])
  assert.equal(data.length, 2)
  assert.match(meta.sql[0] ?? '', /`moved` FINAL /)
})

test('an expression is steady only if all that it calls is known to be', () => {
  for (const sql of [
    'lower(a) = b',
    'if(a > 1, b, c)',
    'a IN (1, 2)',
    "a LIKE '%now()%'",
    'toStartOfHour(ts)',
    'quantile(0.9)(x)',
    "a = 'now'",
    'nowhere + t.todays',
  ]) {
    assert.equal(isSteady(sql), true, sql)
  }
  for (const sql of [
    'now() > a',
    'a IN other',
    'a IN (SELECT 1)',
    'rand()',
    "dictGet('d', 'a', b)",
    '`now`()',
    'today()',
    'hostName()',
    'ts > now - 60',
    'ts > "now"',
    'toDate(ts) = CURRENT_DATE',
    'a < Localtimestamp',
  ]) {
    assert.equal(isSteady(sql), false, sql)
  }
})
