import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type CompiledQuery, Kysely, sql } from 'kysely'
import { createSqliteRig, temporaryFolder } from '../../../test/support/store-rig.ts'
import { Connection } from './sqlite-connection.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'
import { GroupCommit } from './sqlite-group.ts'

type Raw = { notes: { id: number; text?: string } }
type Run = { mock: { calls: { arguments: unknown[] }[] } }

const insert = (id: number) =>
  ({ sql: `insert into notes values (${id})`, parameters: [], query: {} }) as unknown as CompiledQuery

function rig(t: { mock: typeof test.mock; after(fn: () => void): void }) {
  const path = join(temporaryFolder(t as never), 'group.db')
  const connection = new Connection(path, 'full')
  const other = new Connection(path, 'normal')
  t.after(() => {
    connection.close()
    other.close()
  })
  connection.run('create table notes (id integer primary key)')
  const run = t.mock.method(connection, 'run') as unknown as Run
  const group = new GroupCommit(connection, () => {})
  const select = { sql: 'select id from notes order by id', parameters: [], query: {} }
  return {
    connection,
    group,
    /** What another connection sees. */
    seen: () => other.execute<{ id: number }>(select as unknown as CompiledQuery).rows.map(({ id }) => id),
    commits: () => run.mock.calls.filter(({ arguments: [text] }) => text === 'commit').length,
  }
}

test('transactions of one turn are committed once, and none is acknowledged before', async (t) => {
  const { group, seen, commits } = rig(t)
  let acknowledged = 0
  const ends = [1, 2, 3].map((id) => {
    group.begin()
    group.execute(insert(id))
    return group.end().then(() => {
      acknowledged += 1
    })
  })
  ends.push(
    group.executeAlone(insert(4)).then(() => {
      acknowledged += 1
    }),
  )
  for (let n = 0; n < 10; n++) await null
  assert.deepEqual([acknowledged, commits(), seen()], [0, 0, []])
  await Promise.all(ends)
  assert.deepEqual([acknowledged, commits(), seen()], [4, 1, [1, 2, 3, 4]])
})

test('one that is undone, or a statement that fails, takes nothing of the others with it', async (t) => {
  const { group, seen } = rig(t)
  group.begin()
  group.execute(insert(1))
  const first = group.end()
  group.begin()
  group.execute(insert(2))
  assert.throws(() => group.execute(insert(1)), /UNIQUE/)
  group.undo()
  await assert.rejects(group.executeAlone(insert(1)), /UNIQUE/)
  group.begin()
  group.execute(insert(3))
  await Promise.all([first, group.end()])
  assert.deepEqual(seen(), [1, 3])
})

test('one that goes on for several turns is waited for, and is committed with those before it', async (t) => {
  const { group, seen, commits } = rig(t)
  group.begin()
  group.execute(insert(1))
  const first = group.end()
  group.begin()
  for (let n = 0; n < 3; n++) await setImmediate()
  group.execute(insert(2))
  assert.deepEqual([commits(), seen()], [0, []])
  await Promise.all([group.end(), first])
  assert.deepEqual([commits(), seen()], [1, [1, 2]])
})

test('a group that the database gives up fails whole, and the next one works', async (t) => {
  const { connection, group, seen } = rig(t)
  group.begin()
  group.execute(insert(1))
  const first = group.end()
  group.begin()
  // A full disk makes SQLite roll back like this.
  const execute = t.mock.method(connection, 'execute', () => {
    connection.run('rollback')
    throw new Error('database or disk is full')
  })
  assert.throws(() => group.execute(insert(2)), /full/)
  execute.mock.restore()
  assert.throws(() => group.execute(insert(2)), /full/, 'nothing is written outside of a transaction')
  assert.throws(() => group.end(), /full/)
  group.undo()
  await assert.rejects(first, /full/)
  group.begin()
  group.execute(insert(3))
  await group.end()
  assert.deepEqual(seen(), [3])
})

test('a commit that fails is told to all of the group, and leaves nothing open', async (t) => {
  const db = new Kysely<Raw>({ dialect: createSqliteDialect(join(temporaryFolder(t), 'raw.db')) })
  t.after(() => db.destroy())
  await sql`create table notes (id integer primary key, parent integer references notes (id)
    deferrable initially deferred)`.execute(db)
  const write = (id: number, parent: number) =>
    db.transaction().execute((tx) => sql`insert into notes values (${id}, ${parent})`.execute(tx))
  const ends = await Promise.allSettled([write(1, 1), write(2, 404), write(3, 3)])
  for (const end of ends) assert.match(String((end as PromiseRejectedResult).reason), /FOREIGN KEY/)
  await write(4, 4)
  assert.deepEqual(await db.selectFrom('notes').select('id').execute(), [{ id: 4 }])
})

test('no constraint of the schema is deferred: a transaction cannot fail the commit of others', async (t) => {
  const { execute } = await createSqliteRig(t)
  assert.deepEqual(await execute(`select name from sqlite_master where sql like '%defer%'`), [])
})
