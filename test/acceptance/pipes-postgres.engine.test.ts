import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forAllTests } from '../support/for-all-tests.ts'
import { untilPipe } from '../support/pipes/file-pipe.ts'
import { type PostgresWorld, startPostgresWorld } from '../support/pipes/postgres-world.ts'

let world: PostgresWorld
let postgres: PostgresWorld['postgres']
let warehouse: PostgresWorld['warehouse']
let service: PostgresWorld['service']

forAllTests(async (ends) => {
  world = await startPostgresWorld(ends)
  ;({ postgres, warehouse, service } = world)
})

const create = (body: object) => world.create(body)
const ask = (sql: string) => world.ask(sql)
const until = (sql: string, expected: string) => world.until(sql, expected)

const rowsOf = (rows: Record<string, unknown>[]): string =>
  rows.map((row) => Object.values(row).join('\t')).join('\n')

test('a snapshot loads tables with and without keys, and completes', async () => {
  await postgres.sql(`CREATE TABLE load (id bigint PRIMARY KEY, name text, at timestamptz, gone int);
    INSERT INTO load SELECT n, 'name ' || n || E'\\t\\\\\\n', '2026-01-01'::timestamptz + n * interval '1.000001 s', n
      FROM generate_series(1, 20000) n;
    CREATE TABLE twins (a int, b text);
    INSERT INTO twins SELECT n % 10, 'x' FROM generate_series(1, 3000) n;
    CREATE TABLE empty (id int PRIMARY KEY)`)
  const body = postgres.pipe(
    [
      { sourceSchemaName: 'public', sourceTable: 'load', targetTable: 'loaded', excludedColumns: ['gone'] },
      ...['twins', 'empty'],
    ],
    { replicationMode: 'snapshot', snapshotNumRowsPerPartition: 1000, snapshotNumberOfParallelTables: 2 },
  )
  const pipe = await create(body)
  const done = await untilPipe(warehouse.api, pipe, ({ state }) => state === 'Completed')
  assert.equal(done.stats.rows, 23_000)
  const expected = await postgres.sql(
    `SELECT count(*), sum(id), md5(string_agg(name, ',' ORDER BY id)),
      max(to_char(at, 'YYYY-MM-DD HH24:MI:SS.US')) FROM load`,
  )
  assert.equal(
    await ask(`SELECT count(), sum(id), lower(hex(MD5(arrayStringConcat(arrayMap(x -> x.2, arraySort(groupArray((id, name)))), ',')))),
      max(at) FROM loaded FINAL`),
    rowsOf(expected),
  )
  assert.equal(
    await ask('SELECT a, count() FROM twins FINAL GROUP BY a ORDER BY a LIMIT 2'),
    '0\t300\n1\t300',
  )
  assert.equal(await ask('SELECT count() FROM empty'), '0')
  assert.equal(
    await ask(`SELECT groupArray(name) FROM system.columns WHERE table = 'loaded'`),
    "['id','name','at','_granary_version','_granary_is_deleted']",
  )
})

test('changes arrive: keys that change, deletes, values stored elsewhere, savepoints and large transactions', async () => {
  await postgres.sql(`CREATE TABLE orders (id int PRIMARY KEY, note text, doc text);
    ALTER TABLE orders ALTER doc SET STORAGE EXTERNAL;
    INSERT INTO orders SELECT n, 'note ' || n, repeat(md5(n::text), 200) FROM generate_series(1, 100) n;
    CREATE TABLE pairs (a int, b text); ALTER TABLE pairs REPLICA IDENTITY FULL;
    INSERT INTO pairs VALUES (1, 'x'), (1, 'x'), (2, NULL), (2, NULL)`)
  const pipe = await create(postgres.pipe(['orders', 'pairs'], { allowNullableColumns: true }))
  await untilPipe(warehouse.api, pipe, ({ state }) => state === 'Running')
  await postgres.sql("UPDATE orders SET note = note || E'\\t!' WHERE id <= 50")
  await postgres.sql('UPDATE orders SET id = id + 1000 WHERE id <= 10')
  await postgres.sql(`BEGIN; INSERT INTO orders VALUES (5, 'new', 'doc'); SAVEPOINT s;
    INSERT INTO orders VALUES (6, 'gone', 'doc'); ROLLBACK TO s; DELETE FROM orders WHERE id = 1003; COMMIT`)
  await postgres.sql(`BEGIN; INSERT INTO orders VALUES (7, 'never', 'doc'); ROLLBACK`)
  await postgres.sql(
    'UPDATE orders SET id = id + 1000, note = note WHERE id = 1004; UPDATE orders SET note = NULL WHERE id = 2004',
  )
  await postgres.sql(`DELETE FROM pairs WHERE ctid = (SELECT min(ctid) FROM pairs WHERE a = 1)`)
  await postgres.sql(`UPDATE pairs SET b = 'y' WHERE ctid = (SELECT min(ctid) FROM pairs WHERE a = 2)`)
  await postgres.sql(`BEGIN; DELETE FROM pairs WHERE a = 1; INSERT INTO pairs VALUES (1, 'x'); COMMIT`)
  const digest = `SELECT id, note, md5(doc) FROM orders ORDER BY id`
  const expected = rowsOf(
    await postgres.sql(digest.replace('note,', `coalesce(replace(note, E'\\t', '\\t'), '\\N'),`)),
  )
  await until('SELECT id, note, lower(hex(MD5(assumeNotNull(doc)))) FROM orders FINAL ORDER BY id', expected)
  await until('SELECT a, b FROM pairs FINAL ORDER BY a, b', '1\tx\n2\ty\n2\t\\N')
  // More than logical_decoding_work_mem, so it is streamed before it commits.
  await postgres.sql(`BEGIN; INSERT INTO orders SELECT n, repeat('w', 200), 'd' FROM generate_series(100000, 200000) n;
    SAVEPOINT s; UPDATE orders SET note = 'lost' WHERE id >= 150000; ROLLBACK TO s;
    DELETE FROM orders WHERE id % 3 = 0 AND id >= 100000; COMMIT`)
  await until(
    'SELECT count(), sum(id), countIf(length(note) = 200) FROM orders FINAL WHERE id >= 100000',
    rowsOf(
      await postgres.sql(
        `SELECT count(*), sum(id), count(*) FILTER (WHERE length(note) = 200) AS c FROM orders WHERE id >= 100000`,
      ),
    ),
  )
  await postgres.sql(`TRUNCATE orders; INSERT INTO orders VALUES (1, 'after', 'd')`)
  await until('SELECT id, note FROM orders FINAL', '1\tafter')
  assert.equal(await ask('SELECT a, b FROM pairs FINAL ORDER BY a, b'), '1\tx\n2\ty\n2\t\\N')
  const { stats, state } = await untilPipe(
    warehouse.api,
    pipe,
    ({ stats }) => stats.facts.slotLagBytes !== undefined,
  )
  assert.equal(state, 'Running')
  assert.equal(stats.delivery, 'exactly_once')
  assert.equal((await warehouse.api('DELETE', `/services/${service.id}/pipes/${pipe.id}`)).status, 200)
  for (;;) {
    const [{ n } = { n: '' }] = (await postgres.sql(
      `SELECT (SELECT count(*) FROM pg_replication_slots) + (SELECT count(*) FROM pg_publication) AS n`,
    )) as [{ n: string }]
    if (n === '0') break
  }
})

test('schema changes, partitions, added and removed tables, pause and resync', async () => {
  await postgres.sql(`CREATE TABLE grow (id int PRIMARY KEY, a text, b int); INSERT INTO grow VALUES (1, 'one', 1), (2, 'two', 2);
    CREATE TABLE later (id int PRIMARY KEY, v text); INSERT INTO later VALUES (1, 'x');
    CREATE TABLE parts (id int PRIMARY KEY, v text) PARTITION BY RANGE (id);
    CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10); INSERT INTO parts VALUES (1, 'p')`)
  const pipe = await create(postgres.pipe(['grow', 'parts']))
  const path = `/services/${service.id}/pipes/${pipe.id}`
  const running = () => untilPipe(warehouse.api, pipe, ({ state }) => state === 'Running')
  await running()
  await postgres.sql(
    `ALTER TABLE grow ADD COLUMN c int DEFAULT 7, ADD COLUMN d text; INSERT INTO grow VALUES (3, 'three', 3, 3, 'd')`,
  )
  await until('SELECT id, c, d FROM grow FINAL ORDER BY id', '1\t7\t\n2\t7\t\n3\t3\td')
  await postgres.sql(`ALTER TABLE grow DROP COLUMN b; UPDATE grow SET a = 'ONE' WHERE id = 1`)
  await until('SELECT a, b FROM grow FINAL ORDER BY id', 'ONE\t0\ntwo\t2\nthree\t3')
  await postgres.sql(`ALTER TABLE grow RENAME COLUMN a TO name; ALTER TABLE grow ALTER c TYPE text USING 'c' || c;
    INSERT INTO grow VALUES (4, 'four', 'c4', 'd')`)
  await until(
    'SELECT id, name, c FROM grow FINAL ORDER BY id',
    '1\tONE\tc7\n2\ttwo\tc7\n3\tthree\tc3\n4\tfour\tc4',
  )
  await postgres.sql(`CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (10) TO (20); INSERT INTO parts VALUES (11, 'q');
    UPDATE parts SET id = 12 WHERE id = 1`)
  await until('SELECT id, v FROM parts FINAL ORDER BY id', '11\tq\n12\tp')
  const mapping = (name: string) => ({ sourceSchemaName: 'public', sourceTable: name, targetTable: name })
  const changed = await warehouse.api('PATCH', path, {
    source: {
      postgres: { tableMappingsToAdd: [mapping('later')], tableMappingsToRemove: [mapping('parts')] },
    },
  })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  await until('SELECT id, v FROM later FINAL', '1\tx')
  await postgres.sql(`INSERT INTO parts VALUES (13, 'unseen'); INSERT INTO later VALUES (2, 'y')`)
  await until('SELECT id, v FROM later FINAL ORDER BY id', '1\tx\n2\ty')
  assert.equal(await ask('SELECT count() FROM parts FINAL'), '2')
  assert.equal((await warehouse.api('PATCH', `${path}/state`, { command: 'stop' })).status, 200)
  const paused = await untilPipe(warehouse.api, pipe, ({ state }) => state === 'Paused')
  assert.match(paused.reason, /keeps [\d.]+ MiB of WAL/)
  await postgres.sql(`INSERT INTO later VALUES (3, 'while paused')`)
  assert.equal((await warehouse.api('PATCH', `${path}/state`, { command: 'start' })).status, 200)
  await until('SELECT count() FROM later FINAL', '3')
  await service.sql('DROP TABLE later')
  await service.sql('ALTER TABLE grow DELETE WHERE 1')
  assert.equal((await warehouse.api('PATCH', `${path}/state`, { command: 'resync' })).status, 200)
  await until('SELECT count() FROM later FINAL', '3')
  await until('SELECT count() FROM grow FINAL', '4')
  await running()
  assert.equal(
    await ask(`SELECT count() FROM system.tables WHERE name LIKE '%_resync' OR name LIKE '%staging%'`),
    '0',
  )
  await warehouse.api('PATCH', `${path}/state`, { command: 'stop' })
  await untilPipe(warehouse.api, pipe, ({ state }) => state === 'Paused')
  await postgres.sql(`SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE NOT active`)
  await warehouse.api('PATCH', `${path}/state`, { command: 'start' })
  const failed = await untilPipe(warehouse.api, pipe, ({ state }) => state === 'Failed').catch(String)
  assert.match(String(failed.reason ?? failed), /slot is gone: resync the pipe/)
})

test('a check tells everything that is wrong, each at its field', async () => {
  await postgres.sql('CREATE TABLE keyless (a int)')
  const body = postgres.pipe(['keyless', 'nowhere'], { publicationName: 'none' })
  const made = await warehouse.api('POST', `/services/${service.id}/pipes`, body)
  assert.equal(made.status, 400)
  const text = JSON.stringify(made.body)
  for (const part of [/REPLICA IDENTITY FULL/, /There is no such table/, /There is no such publication/])
    assert.match(text, part)
  const wrong = await warehouse.api(
    'POST',
    `/services/${service.id}/pipes`,
    postgres.pipe(['keyless'], {}, { credentials: { username: 'pipe', password: 'falsch geheim' } }),
  )
  assert.equal(wrong.status, 400)
  assert.match(JSON.stringify(wrong.body), /credentials.*password authentication failed/)
})
