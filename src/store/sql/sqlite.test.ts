import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { type Generated, Kysely, sql } from 'kysely'
import { testStore } from '../../../test/support/store-contract.ts'
import { addOrganization, dashboardOf } from '../../../test/support/store-records.ts'
import { createSqliteRig, openInProcess, temporaryFolder } from '../../../test/support/store-rig.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'

testStore(createSqliteRig)

test('sqlite: a transaction is on the disk before it is answered, the rest survives the process', async (t) => {
  const db = openRaw(join(temporaryFolder(t), 'raw.db'))
  t.after(() => db.destroy())
  const settings = async (on: Kysely<Raw>) => {
    const answers: unknown[] = []
    for (const name of ['journal_mode', 'synchronous', 'foreign_keys']) {
      const { rows } = await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(on)
      answers.push(...Object.values(rows[0] ?? {}))
    }
    return answers
  }
  // 2 is FULL, 1 is NORMAL.
  assert.deepEqual(await db.transaction().execute(settings), ['wal', 2, 1])
  assert.deepEqual(await settings(db), ['wal', 1, 1])
})

test('sqlite: the folder of a new database is for its owner only', async (t) => {
  const path = join(temporaryFolder(t), 'new', 'granary.db')
  await openInProcess(`sqlite:${path}`)
  assert.equal(statSync(dirname(path)).mode & 0o777, 0o700)
})

test('sqlite: its files are for their owner only, whatever the umask', async (t) => {
  const before = process.umask(0)
  const { path } = await createSqliteRig(t).finally(() => process.umask(before))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) assert.equal(statSync(file).mode & 0o777, 0o600)
})

test('sqlite: a commit that fails is rolled back, gives its turn to one other, and says why', async (t) => {
  const db = openRaw(join(temporaryFolder(t), 'raw.db'))
  t.after(() => db.destroy())
  await sql`create table parents (id integer primary key)`.execute(db)
  await sql`create table children (id integer primary key,
    parent integer references parents (id) deferrable initially deferred)`.execute(db)
  const failing = db.transaction().execute(async (tx) => {
    await tx.insertInto('children').values({ id: 1, parent: 404 }).execute()
  })
  await assert.rejects(failing, /FOREIGN KEY constraint failed/)
  // Failed transactions are rolled back alone; each must have the writer for itself.
  const others = Array.from({ length: 10 }, (_, n) =>
    db.transaction().execute(async (tx) => {
      await tx.insertInto('parents').values({ id: n }).execute()
      await db.selectFrom('parents').selectAll().execute()
      if (n % 2) throw new Error('second thoughts')
      await tx.insertInto('children').values({ id: n, parent: n }).execute()
    }),
  )
  const ends = await Promise.allSettled(others)
  assert.deepEqual(
    ends.map(({ status }) => status),
    Array.from({ length: 10 }, (_, n) => (n % 2 ? 'rejected' : 'fulfilled')),
  )
  const even = [0, 2, 4, 6, 8]
  const children = await db.selectFrom('children').selectAll().orderBy('id').execute()
  assert.deepEqual(
    children.map(({ parent }) => parent),
    even,
  )
  assert.deepEqual(
    (await db.selectFrom('parents').selectAll().execute()).map(({ id }) => id),
    even,
  )
})

test('sqlite: a full disk fails the transaction with its own words, and the next one works', async (t) => {
  const db = openRaw(join(temporaryFolder(t), 'raw.db'))
  t.after(() => db.destroy())
  await sql`create table parents (id integer primary key, doc text)`.execute(db)
  const tooMuch = db.transaction().execute(async (tx) => {
    await sql.raw('pragma max_page_count = 10').execute(tx)
    await sql`insert into parents (doc) values ('first')`.execute(tx)
    await sql`insert into parents (doc) values (${'x'.repeat(1_000_000)})`.execute(tx)
  })
  await assert.rejects(tooMuch, /full/)
  await db.transaction().execute((tx) => sql.raw('pragma max_page_count = 10000').execute(tx))
  assert.deepEqual(await db.selectFrom('parents').selectAll().execute(), [])
  await db.transaction().execute((tx) => tx.insertInto('parents').values({ id: 7 }).execute())
  assert.equal((await db.selectFrom('parents').selectAll().execute()).length, 1)
})

test('sqlite: another process that writes is waited for', async (t) => {
  const { store, path } = await createSqliteRig(t)
  const organization = await addOrganization(store)
  const writes = Array.from({ length: 30 }, () =>
    store.transaction((tx) => tx.dashboards.insert(organization.id, dashboardOf(), 0)),
  )
  await Promise.all([openInProcess(`sqlite:${path}`), ...writes])
  assert.equal((await store.dashboards.list(organization.id)).length, 30)
})

test('sqlite: nothing is streamed', async (t) => {
  const db = openRaw(join(temporaryFolder(t), 'raw.db'))
  t.after(() => db.destroy())
  await sql`create table parents (id integer primary key)`.execute(db)
  await assert.rejects(db.selectFrom('parents').selectAll().stream().next(), /read in pages/)
})

interface Raw {
  parents: { id: Generated<number> }
  children: { id: number; parent: number }
}

const openRaw = (path: string) => new Kysely<Raw>({ dialect: createSqliteDialect(path) })
