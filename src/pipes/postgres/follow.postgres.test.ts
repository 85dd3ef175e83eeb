import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { forAllTests } from '../../../test/support/for-all-tests.ts'
import { createPostgresReading } from '../../../test/support/pipes/postgres-reading.ts'
import { type PostgresRig, startPostgresRig } from '../../../test/support/pipes/postgres-rig.ts'

let postgres: PostgresRig
forAllTests(async (ends) => {
  postgres = await startPostgresRig(ends, {
    logical_decoding_work_mem: '64kB',
    synchronous_standby_names: 'nobody',
    synchronous_commit: 'local',
  })
})

test('a table whose description came with a transaction that its load has seen is followed', async (t) => {
  await postgres.sql(`CREATE TABLE seen (id int PRIMARY KEY, v text); INSERT INTO seen VALUES (1, 'a');
    CREATE PUBLICATION early FOR TABLE seen`)
  await postgres.sql(`SELECT pg_create_logical_replication_slot('given', 'pgoutput')`)
  t.after(() => postgres.sql(`SELECT pg_drop_replication_slot('given')`))
  await postgres.sql(`UPDATE seen SET v = 'b'`)
  const reading = createPostgresReading(t, postgres, ['seen'], {
    ...{ publicationName: 'early', replicationSlotName: 'given' },
  })
  reading.start()
  await reading.until('seen', ['1\tb'])
  await postgres.sql(`UPDATE seen SET v = 'c'`)
  await reading.until('seen', ['1\tc'])
  await reading.stop()
})

/** A commit that waits for a standby is in the WAL, and nobody but the stream knows of it. */
test('what a transaction makes of tables is read when other sessions see it, not before', async (t) => {
  await postgres.sql(`CREATE TABLE wide (id int PRIMARY KEY, v text); INSERT INTO wide VALUES (1, 'a');
    CREATE TABLE parts (id int PRIMARY KEY, v text) PARTITION BY RANGE (id);
    CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10); INSERT INTO parts VALUES (1, 'a')`)
  const reading = createPostgresReading(t, postgres, ['wide', 'parts'])
  reading.start()
  await reading.until('parts', ['1\ta'])
  const session = await postgres.session()
  await session.query('SET synchronous_commit TO on')
  const committed =
    session.query(`ALTER TABLE wide ADD COLUMN c int DEFAULT 7; INSERT INTO wide VALUES (2, 'b', 8);
    CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (10) TO (20); INSERT INTO parts VALUES (11, 'b')`)
  const isAsked = `SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_current_snapshot()%' AND pid <> pg_backend_pid()
    AND EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')`
  while ((await postgres.sql(isAsked)).length === 0) await setTimeout(20)
  await postgres.sql(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
  await committed
  await reading.until('wide', ['1\ta\t7', '2\tb\t8'])
  await reading.until('parts', ['1\ta', '11\tb'])
  await reading.stop()
})
