import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { forAllTests } from '../../../test/support/for-all-tests.ts'
import { createPostgresReading, sourcePipe } from '../../../test/support/pipes/postgres-reading.ts'
import { type PostgresRig, startPostgresRig } from '../../../test/support/pipes/postgres-rig.ts'
import { SourceError } from '../source.ts'
import { takeSnapshot } from './snapshot.ts'

let postgres: PostgresRig
forAllTests(async (ends) => {
  postgres = await startPostgresRig(ends)
})

const rowsOf = async (sql: string): Promise<string[]> =>
  (await postgres.sql(sql)).map((row) => Object.values(row).join('\t')).sort()

/** A table of several pieces whose load breaks off after the first. */
async function brokenLoad(t: Parameters<typeof createPostgresReading>[0], table: string) {
  await postgres.sql(`CREATE TABLE ${table} (id int PRIMARY KEY, v text, doc text) WITH (autovacuum_enabled = off);
    ALTER TABLE ${table} ALTER doc SET STORAGE EXTERNAL;
    INSERT INTO ${table} SELECT n, repeat('v', 500), repeat(md5(n::text), 100) FROM generate_series(1, 100) n;
    DELETE FROM ${table} WHERE id < 5`)
  await postgres.sql(`VACUUM ${table}`)
  const reading = createPostgresReading(t, postgres, [table], {
    ...{ initialLoadParallelism: 1, snapshotNumRowsPerPartition: 20 },
  })
  let batches = 0
  reading.target.beforeCommit = async (lane) => {
    if (lane.startsWith('load:') && ++batches === 2) throw new SourceError('retry', 'the connection is lost')
  }
  reading.start()
  assert.match(String(await reading.ended()), /connection is lost/)
  reading.target.beforeCommit = async () => undefined
  return reading
}

test('a row that moved into a piece that was loaded keeps the values that are stored elsewhere', async (t) => {
  const reading = await brokenLoad(t, 'moved')
  await postgres.sql(`UPDATE moved SET v = repeat('w', 900) WHERE id = 95`)
  const [place] = await postgres.sql(`SELECT ctid::text AS at FROM moved WHERE id = 95`)
  assert.match(String(place?.['at']), /^\(0,/, 'the row has moved to the front')
  reading.start()
  await reading.until('moved', await rowsOf('SELECT * FROM moved'))
  await reading.stop()
})

test('a load begins anew when rows were laid elsewhere', async (t) => {
  const reading = await brokenLoad(t, 'packed')
  await postgres.sql(`VACUUM FULL packed`)
  reading.start()
  await reading.until('packed', await rowsOf('SELECT * FROM packed'))
  await reading.stop()
})

test('a table that is added waits for those who write to it', async (t) => {
  await postgres.sql(`CREATE TABLE early (id int PRIMARY KEY); CREATE TABLE late (id int PRIMARY KEY)`)
  const reading = createPostgresReading(t, postgres, ['early'])
  reading.start()
  await postgres.sql('INSERT INTO early VALUES (1)')
  await reading.until('early', ['1'])
  await reading.stop()
  await postgres.sql('BEGIN; INSERT INTO late VALUES (1)')
  reading.map(['early', 'late'])
  reading.start()
  const waits = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE '%pg_locks%' AND pid <> pg_backend_pid()`
  for (let isWaiting = false; !isWaiting; ) {
    // A transaction sees the sessions as they were when it looked first.
    await postgres.sql('SELECT pg_stat_clear_snapshot()')
    isWaiting = (await postgres.sql(waits))[0]?.['n'] === 1
  }
  await postgres.sql('INSERT INTO late VALUES (2); COMMIT')
  await reading.until('late', ['1', '2'])
  await reading.stop()
})

test('a parent with children of the same keys is loaded and followed row for row', async (t) => {
  await postgres.sql(`CREATE TABLE parent (id int PRIMARY KEY, v text);
    CREATE TABLE child (PRIMARY KEY (id)) INHERITS (parent);
    INSERT INTO parent VALUES (1, 'p'); INSERT INTO child VALUES (1, 'c'), (2, 'c')`)
  const refused = createPostgresReading(t, postgres, ['parent'])
  refused.start()
  assert.match(String(await refused.ended()), /children with keys of their own.*REPLICA IDENTITY FULL/)
  await postgres.sql('ALTER TABLE parent REPLICA IDENTITY FULL; ALTER TABLE child REPLICA IDENTITY FULL')
  const reading = createPostgresReading(t, postgres, ['parent'])
  reading.start()
  const values = async () => (await rowsOf('SELECT id, v FROM parent')).sort()
  await reading.until('parent', await values())
  await postgres.sql(`UPDATE child SET v = 'd' WHERE id = 1; DELETE FROM ONLY parent WHERE id = 1`)
  await reading.until('parent', ['1\td', '2\tc'])
  await postgres.sql(`INSERT INTO parent VALUES (3, 'p'); TRUNCATE ONLY parent`)
  await postgres.sql(`CREATE TABLE second () INHERITS (parent); ALTER TABLE second REPLICA IDENTITY FULL;
    INSERT INTO second VALUES (9, 's')`)
  await reading.stop()
  reading.start()
  await reading.until('parent', await values())
  await reading.stop()
})

test('an attached partition brings its rows, one that was made as a partition needs no load', async (t) => {
  await postgres.sql(`CREATE TABLE days (id int PRIMARY KEY) PARTITION BY RANGE (id);
    CREATE TABLE days_1 PARTITION OF days FOR VALUES FROM (0) TO (10); INSERT INTO days VALUES (1)`)
  const reading = createPostgresReading(t, postgres, ['days'])
  reading.start()
  await reading.until('days', ['1'])
  await postgres.sql(`CREATE TABLE days_2 PARTITION OF days FOR VALUES FROM (10) TO (20)`)
  await postgres.sql(`INSERT INTO days VALUES (11)`)
  await reading.until('days', ['1', '11'])
  const swaps = () =>
    reading.target.batches.flatMap(({ steps }) => steps.filter((step) => step.do === 'swap'))
  assert.equal(swaps().length, 0)
  await postgres.sql(`CREATE TABLE days_3 (id int PRIMARY KEY); INSERT INTO days_3 VALUES (21)`)
  await postgres.sql(`ALTER TABLE days ATTACH PARTITION days_3 FOR VALUES FROM (20) TO (30)`)
  await postgres.sql(`INSERT INTO days VALUES (22)`)
  await reading.until('days', ['1', '11', '21', '22'])
  assert.equal(swaps().length, 1)
  await reading.stop()
})

test('a table is split by the values of its partition key', async (t) => {
  await postgres.sql(`CREATE TABLE cut (id int PRIMARY KEY, "the name" text);
    INSERT INTO cut SELECT n, CASE WHEN n % 7 > 0 THEN 'it''s ' || n % 100 END FROM generate_series(1, 3000) n; ANALYZE cut`)
  const mapping = { sourceSchemaName: 'public', sourceTable: 'cut', targetTable: 'cut' }
  const reading = createPostgresReading(t, postgres, [{ ...mapping, partitionKey: 'the name' }], {
    ...{ snapshotNumRowsPerPartition: 1000, replicationMode: 'snapshot' },
  })
  reading.start()
  assert.equal(await reading.ended(), 'completed')
  const loads = reading.target.batches.filter(({ lane }) => lane.startsWith('load:cut:'))
  assert.equal(loads.filter(({ steps }) => steps.length > 0).length, 3)
  assert.deepEqual(
    reading.target.rows('cut'),
    await rowsOf(`SELECT id, coalesce("the name", '\\N') FROM cut`),
  )
})

test('a load whose snapshot is gone with its session is tried again', async () => {
  const snapshot = await takeSnapshot(sourcePipe('gone', postgres, [], {}))
  try {
    const holders = `SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_export_snapshot%' AND state LIKE 'idle in%'`
    await postgres.sql(`SELECT pg_terminate_backend(pid) FROM (${holders}) AS holders`)
    while ((await postgres.sql(holders)).length > 0) await setTimeout(20)
    await assert.rejects(
      snapshot.open(),
      (error) => error instanceof SourceError && error.verdict === 'retry',
    )
  } finally {
    await snapshot.close()
  }
})
