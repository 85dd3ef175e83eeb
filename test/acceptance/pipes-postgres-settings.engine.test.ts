import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forAllTests } from '../support/for-all-tests.ts'
import { untilPipe } from '../support/pipes/file-pipe.ts'
import { type PostgresWorld, startPostgresWorld } from '../support/pipes/postgres-world.ts'
import { request } from '../support/server.ts'
import { bearer } from '../support/walk.ts'

let world: PostgresWorld
let postgres: PostgresWorld['postgres']

forAllTests(async (ends) => {
  world = await startPostgresWorld(ends)
  postgres = world.postgres
})

const mapping = (sourceTable: string, more: object = {}) => ({
  ...{ sourceSchemaName: 'public', sourceTable, targetTable: sourceTable },
  ...more,
})
const pipePath = ({ id }: { id: string }) => `/services/${world.service.id}/pipes/${id}`

test('each table with a time gets a source, also one that is added later', async () => {
  await postgres.sql(`CREATE TABLE visits (id int PRIMARY KEY, at timestamptz, body text);
    CREATE TABLE timeless (id int PRIMARY KEY); CREATE TABLE births (id int PRIMARY KEY, born date)`)
  const pipe = await world.follow([mapping('visits', { targetTable: 'seen' }), 'timeless'])
  const add = { source: { postgres: { tableMappingsToAdd: [mapping('births')] } } }
  const changed = await world.warehouse.api('PATCH', pipePath(pipe), add)
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  const { url, credentials } = world.warehouse.server
  const { body } = await request(url, bearer(credentials.dashboardToken), 'GET', '/api/v2/sources')
  assert.deepEqual(
    body.data.map((each: Record<string, unknown>) => [
      ...[each['name'], each['timestampColumn'], each['implicitColumn'], each['isDefault']],
    ]),
    [
      ['default.births', 'born', '', false],
      ['default.seen', 'at', 'body', true],
    ],
  )
  await world.until('SELECT count() FROM births', '0')
})

test('cdc_only goes on with rows that are there, from the slot that it is given', async () => {
  await postgres.sql(`CREATE TABLE tail (id int PRIMARY KEY, v text); INSERT INTO tail VALUES (1, 'a'), (2, 'b'), (3, 'c');
    CREATE PUBLICATION tails FOR TABLE tail`)
  await postgres.sql(`SELECT pg_create_logical_replication_slot('tail', 'pgoutput')`)
  await postgres.sql(`UPDATE tail SET v = 'B' WHERE id = 2; DELETE FROM tail WHERE id = 3`)
  const given = { replicationSlotName: 'tail', publicationName: 'tails' }
  const pipe = await world.follow(['tail'], given)
  await world.until('SELECT id, v FROM tail FINAL ORDER BY id', '2\tB')
  await world.service.sql(`INSERT INTO tail (id, v) VALUES (1, 'a')`)
  await postgres.sql(`INSERT INTO tail VALUES (4, 'd')`)
  await world.until('SELECT id, v FROM tail FINAL ORDER BY id', '1\ta\n2\tB\n4\td')
  await postgres.sql(`ALTER TABLE tail ALTER v TYPE int USING 0; INSERT INTO tail VALUES (5, 5)`)
  assert.match(await world.failure(pipe), /type of the column v has changed.*cdc_only cannot load it again/)
  assert.equal((await world.warehouse.api('DELETE', pipePath(pipe))).status, 200)
  await world.until(`SELECT count() FROM tail FINAL`, '3')
  const [slot] = await postgres.sql(
    `SELECT count(*)::int AS n FROM pg_replication_slots WHERE slot_name = 'tail'`,
  )
  assert.equal(slot?.['n'], 1, 'the slot of a person stays')
})

test('rows move when their sorting key changes, and stay apart by the key of the source', async () => {
  await postgres.sql(`CREATE TABLE shops (id int PRIMARY KEY, region text, v text, doc text);
    ALTER TABLE shops ALTER doc SET STORAGE EXTERNAL;
    INSERT INTO shops SELECT n, CASE WHEN n % 2 = 0 THEN 'north' ELSE 'south' END, 'v', repeat(md5(n::text), 200)
      FROM generate_series(1, 6) n`)
  const sorted = mapping('shops', { useCustomSortingKey: true, sortingKeys: ['region'] })
  const refused = await world.warehouse.api(
    'POST',
    `/services/${world.service.id}/pipes`,
    postgres.pipe([sorted]),
  )
  assert.equal(refused.status, 400)
  assert.match(JSON.stringify(refused.body), /does not tell the old region.*REPLICA IDENTITY FULL/)
  await postgres.sql('ALTER TABLE shops REPLICA IDENTITY FULL')
  await world.follow([sorted])
  assert.equal(await world.ask(`SELECT sorting_key FROM system.tables WHERE name = 'shops'`), 'region, id')
  await postgres.sql(`UPDATE shops SET region = 'west' WHERE id <= 2; UPDATE shops SET id = 13 WHERE id = 3;
    UPDATE shops SET id = 14, region = 'west', v = 'w' WHERE id = 4; DELETE FROM shops WHERE id = 5`)
  await postgres.sql(
    `BEGIN; UPDATE shops SET region = 'east' WHERE id = 6; UPDATE shops SET region = 'north' WHERE id = 6; COMMIT`,
  )
  const rows = await postgres.sql(`SELECT id, region, v, md5(doc) FROM shops ORDER BY id`)
  await world.until(
    'SELECT id, region, v, lower(hex(MD5(doc))) FROM shops FINAL ORDER BY id',
    rows.map((row) => Object.values(row).join('\t')).join('\n'),
  )
})

test('a MergeTree keeps every version, a table of engine Null feeds its views', async () => {
  await postgres.sql(`CREATE TABLE log (id int PRIMARY KEY, v text); INSERT INTO log VALUES (1, 'a'), (2, 'b');
    CREATE TABLE through (id int PRIMARY KEY, v text); INSERT INTO through VALUES (1, 'a')`)
  await world.service.sql(
    `CREATE TABLE through (id Int32, v String, _granary_version UInt64, _granary_is_deleted UInt8) ENGINE = Null`,
  )
  await world.service.sql(`CREATE MATERIALIZED VIEW caught ENGINE = MergeTree ORDER BY id AS
    SELECT id, v, _granary_is_deleted AS d FROM through`)
  await world.follow([
    mapping('log', { tableEngine: 'MergeTree' }),
    mapping('through', { tableEngine: 'Null' }),
  ])
  for (const table of ['log', 'through'])
    await postgres.sql(`UPDATE ${table} SET v = 'A' WHERE id = 1; DELETE FROM ${table} WHERE id = 1;
      INSERT INTO ${table} VALUES (3, 'c')`)
  await world.until(
    'SELECT id, v, _granary_is_deleted FROM log ORDER BY id, _granary_version, v',
    ['1\ta\t0', '1\tA\t0', '1\t\t1', '2\tb\t0', '3\tc\t0'].join('\n'),
  )
  await world.until(
    'SELECT id, v, d FROM caught ORDER BY id, d, v',
    ['1\tA\t0', '1\ta\t0', '1\t\t1', '3\tc\t0'].join('\n'),
  )
})

test('NULLs are kept or become defaults, and columns are left out, in the load and in the stream', async () => {
  await postgres.sql(`CREATE TABLE gaps (id int PRIMARY KEY, n int, t text, at timestamptz, tags int[], secret text);
    INSERT INTO gaps (id, secret) VALUES (1, 'x')`)
  const map = (targetTable: string) => [mapping('gaps', { targetTable, excludedColumns: ['secret'] })]
  await world.follow(map('gaps_kept'), { allowNullableColumns: true })
  await world.follow(map('gaps_filled'))
  await postgres.sql(`INSERT INTO gaps (id, secret) VALUES (2, 'y'); INSERT INTO gaps VALUES (3, 3, 't', '2026-01-01', '{1,NULL}', 'z');
    UPDATE gaps SET secret = 'other' WHERE id = 3`)
  const last = '2026-01-01 00:00:00.000000'
  const [kept, filled] = ['\\N\t\\N\t\\N\t[]', '0\t\t1970-01-01 00:00:00.000000\t[]']
  const ask = (table: string) =>
    `SELECT * EXCEPT (_granary_version, _granary_is_deleted) FROM ${table} FINAL ORDER BY id`
  await world.until(ask('gaps_kept'), `1\t${kept}\n2\t${kept}\n3\t3\tt\t${last}\t[1,NULL]`)
  await world.until(ask('gaps_filled'), `1\t${filled}\n2\t${filled}\n3\t3\tt\t${last}\t[1,0]`)
})

test('a table that another pipe has filled is left alone, until it is emptied', async () => {
  await postgres.sql(
    `CREATE TABLE again (id int PRIMARY KEY, v text); INSERT INTO again VALUES (1, 'a'), (2, 'b')`,
  )
  const first = await world.follow(['again'])
  await postgres.sql(`UPDATE again SET v = 'c' WHERE id = 1`)
  await world.until('SELECT v FROM again FINAL ORDER BY id', 'c\nb')
  assert.equal((await world.warehouse.api('DELETE', pipePath(first))).status, 200)
  await postgres.sql(`UPDATE again SET v = 'd' WHERE id = 1; DELETE FROM again WHERE id = 2`)
  const second = await world.create(postgres.pipe(['again']))
  assert.match(await world.failure(second), /table default.again has rows that this pipe did not write/)
  await world.service.sql('TRUNCATE TABLE again')
  await world.command(second, 'start')
  await world.until('SELECT id, v FROM again FINAL', '1\td')
  await untilPipe(world.warehouse.api, second, ({ state }) => state === 'Running')
})
