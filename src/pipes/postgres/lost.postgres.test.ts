import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { forAllTests } from '../../../test/support/for-all-tests.ts'
import { createPostgresReading } from '../../../test/support/pipes/postgres-reading.ts'
import { type PostgresRig, startPostgresRig } from '../../../test/support/pipes/postgres-rig.ts'

let postgres: PostgresRig
forAllTests(async (ends) => {
  postgres = await startPostgresRig(ends)
})

/** Statements that only an administrator may run. */
async function administer(...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: postgres.server.url })
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

/** The server notices a while later that nobody reads a slot any more. */
async function letGo(slot: string): Promise<void> {
  const active = `SELECT 1 FROM pg_replication_slots WHERE slot_name = '${slot}' AND active`
  while ((await postgres.sql(active)).length > 0);
}

/** A reader that has stopped after the first row of its table. */
async function stopped(t: Parameters<typeof createPostgresReading>[0], table: string, settings: object = {}) {
  await postgres.sql(`CREATE TABLE ${table} (id int PRIMARY KEY)`)
  const reading = createPostgresReading(t, postgres, [table], settings)
  reading.start()
  await postgres.sql(`INSERT INTO ${table} VALUES (1)`)
  await reading.until(table, ['1'])
  await reading.stop()
  const [slot] = await postgres.sql('SELECT slot_name AS name FROM pg_replication_slots')
  return { reading, slot: String(slot?.['name']) }
}

test('a slot that somebody drops or moves on while the pipe is paused is told, not passed over', async (t) => {
  const { reading, slot } = await stopped(t, 'moved_on')
  await postgres.sql('INSERT INTO moved_on VALUES (2)')
  reading.start()
  await reading.until('moved_on', ['1', '2'])
  await reading.stop()
  await postgres.sql('INSERT INTO moved_on VALUES (3)')
  await letGo(slot)
  await postgres.sql(`SELECT pg_replication_slot_advance('${slot}', pg_current_wal_lsn())`)
  reading.start()
  assert.match(String(await reading.ended()), /slot was moved past changes.*: resync the pipe/)
  await postgres.sql(`SELECT pg_drop_replication_slot('${slot}')`)
  reading.start()
  assert.match(String(await reading.ended()), /slot is gone: resync the pipe/)
})

test('an idle database moves its slot, and the pipe goes on after that', async (t) => {
  const { reading, slot } = await stopped(t, 'idle')
  await postgres.sql('CREATE TABLE other AS SELECT 1 AS a')
  const confirmed = async () =>
    (
      await postgres.sql(
        `SELECT confirmed_flush_lsn > $1::pg_lsn AS is, pg_current_wal_lsn()::text AS now
      FROM pg_replication_slots WHERE slot_name = $2`,
        [place, slot],
      )
    )[0]
  let place = '0/0'
  place = String((await confirmed())?.['now'])
  reading.start()
  while ((await confirmed())?.['is'] !== true) await postgres.sql('INSERT INTO other VALUES (1)')
  await reading.stop()
  assert.equal(reading.target.batches.filter(({ steps }) => steps.length > 0).length, 2)
  reading.start()
  await postgres.sql('INSERT INTO idle VALUES (2)')
  await reading.until('idle', ['1', '2'])
  await reading.stop()
})

test('a slot whose WAL the server has removed is told', async (t) => {
  const { reading, slot } = await stopped(t, 'starved')
  await administer(`ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'`, 'SELECT pg_reload_conf()')
  t.after(() => administer('ALTER SYSTEM RESET max_slot_wal_keep_size', 'SELECT pg_reload_conf()'))
  for (let isLost = false; !isLost; ) {
    await administer(`SELECT pg_logical_emit_message(true, 'x', 'x')`, 'SELECT pg_switch_wal()', 'CHECKPOINT')
    const [row] = await postgres.sql(
      `SELECT wal_status AS is FROM pg_replication_slots WHERE slot_name = '${slot}'`,
    )
    isLost = row?.['is'] === 'lost'
  }
  reading.start()
  assert.match(String(await reading.ended()), /slot is lost, since its WAL was removed: resync the pipe/)
})

test('failover slots are refused before Postgres 17, by the check and by the reader', async (t) => {
  // In sessions of the pipe the server says that it is older.
  await postgres.sql(`CREATE TABLE older (id int PRIMARY KEY); CREATE SCHEMA old;
    CREATE FUNCTION old.current_setting(name text) RETURNS text LANGUAGE sql RETURN
      CASE name WHEN 'server_version_num' THEN '150018' ELSE pg_catalog.current_setting(name) END;
    ALTER ROLE pipe SET search_path = old, pg_catalog`)
  t.after(() => postgres.sql('ALTER ROLE pipe RESET search_path'))
  const reading = createPostgresReading(t, postgres, ['older'], { enableFailoverSlots: true })
  const path = ['postgres', 'settings', 'enableFailoverSlots']
  const problems = [{ path, message: 'It needs Postgres 17 or newer.' }]
  assert.deepEqual(await reading.check(), { ok: false, problems })
  reading.start()
  assert.match(String(await reading.ended()), /enableFailoverSlots needs Postgres 17 or newer/)
  const plain = createPostgresReading(t, postgres, ['older'])
  assert.equal((await plain.check()).ok, true)
})

test('a promoted server is another timeline, on which only a failover slot goes on', async (t) => {
  const failover = await stopped(t, 'safe', { enableFailoverSlots: true })
  const [made] = await postgres.sql(
    `SELECT failover FROM pg_replication_slots WHERE slot_name = '${failover.slot}'`,
  )
  assert.equal(made?.['failover'], true)
  const plain = await stopped(t, 'plain')
  const [{ data } = { data: '' }] = await administer(`SELECT current_setting('data_directory') AS data`)
  await writeFile(join(String(data), 'standby.signal'), '', { mode: 0o644 })
  await postgres.server.restart()
  await administer('SELECT pg_promote()')
  await postgres.sql('INSERT INTO safe VALUES (2); INSERT INTO plain VALUES (2)')
  plain.reading.start()
  assert.match(String(await plain.reading.ended()), /has changed its timeline: resync the pipe/)
  failover.reading.start()
  await failover.reading.until('safe', ['1', '2'])
  await failover.reading.stop()
})
