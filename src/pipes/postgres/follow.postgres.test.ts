import { test } from 'node:test'
import { forAllTests } from '../../../test/support/for-all-tests.ts'
import { createPostgresReading } from '../../../test/support/pipes/postgres-reading.ts'
import { type PostgresRig, startPostgresRig } from '../../../test/support/pipes/postgres-rig.ts'

let postgres: PostgresRig
forAllTests(async (ends) => {
  postgres = await startPostgresRig(ends, { logical_decoding_work_mem: '64kB' })
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
