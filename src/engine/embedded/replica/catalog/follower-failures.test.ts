import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mergeTree } from '../../../../../test/support/fake-writer.ts'
import { createRig } from '../../../../../test/support/follower-rig.ts'

test('one that fails does not stop the others, is told after a few rounds and comes back by itself', async (t) => {
  const { writer, reader, follower, log, sync } = createRig(t)
  writer.database('d')
  writer.table('d', 'a')
  writer.table('d', 'z')
  reader.fail = (sql) =>
    sql.includes('TABLE `d`.`a`') ? "Code: 36. DB::Exception: no 's3cret' (BAD_ARGUMENTS)" : null
  await sync()
  assert.ok(reader.tables.has('`d`.`z`'))
  assert.equal(follower.error(), '', 'it may be in the making')
  await sync()
  await sync()
  assert.equal(
    follower.error(),
    "cannot follow `d`.`a`: Code: 36. DB::Exception: no 's3cret' (BAD_ARGUMENTS)",
  )
  assert.equal(log.count('warn', 'reader cannot follow'), 1)
  reader.fail = () => null
  await sync()
  assert.ok(reader.tables.has('`d`.`a`'))
  assert.equal(follower.error(), '')
  assert.equal(log.count('info', 'follows again'), 1)
})

test('rounds of its own back off from what fails; another definition is tried at once', async (t) => {
  const { writer, reader, follower, clock } = createRig(t)
  writer.database('d')
  const uuid = writer.table('d', 'a')
  reader.fail = (sql) => (sql.startsWith('ATTACH') ? 'Code: 36. DB::Exception: no' : null)
  await follower.start()
  const tries = () => reader.statements.filter((sql) => sql.startsWith('ATTACH')).length
  assert.equal(tries(), 1)
  for (let round = 0; round < 40; round++) await clock.advance(250)
  // After 1, 2, 4, 8 and 16 rounds; the first round was that of the start.
  assert.equal(tries(), 6)
  writer.table('d', 'a', mergeTree('k', 'other'), uuid)
  reader.fail = () => null
  await clock.advance(250)
  assert.match(reader.tables.get('`d`.`a`') ?? '', /`other`/)
  assert.equal(follower.error(), '')
})

test('a definition that cannot be attached takes the old one with it', async (t) => {
  const { writer, reader, sync } = createRig(t)
  writer.database('d')
  const uuid = writer.table('d', 't')
  await sync()
  writer.table('d', 't', mergeTree('k', 'renamed'), uuid)
  reader.fail = (sql) => (sql.startsWith('ATTACH') ? 'Code: 36. DB::Exception: no' : null)
  await sync()
  assert.equal(reader.tables.size, 0, 'the old columns would be read from new parts')
  reader.fail = () => null
  await sync()
  assert.match(reader.tables.get('`d`.`t`') ?? '', /`renamed`/)
})

test('what could not be cleared away is cleared away later', async (t) => {
  const { writer, reader, sync } = createRig(t)
  writer.database('d')
  writer.table('d', 'a')
  writer.table('d', 'b')
  await sync()
  for (const failing of ['DETACH', 'DROP DATABASE']) {
    reader.fail = (sql) => (sql.startsWith(failing) ? 'Code: 219. DB::Exception: still used' : null)
    writer.drop('d', failing === 'DETACH' ? 'a' : 'b')
    await sync()
    assert.equal(reader.databases.size, 3)
    reader.fail = () => null
    await sync()
    assert.deepEqual([...reader.databases], ['`default`', '`d`'])
  }
  assert.equal(reader.tables.size, 0)
})

test('text that is no whole definition is looked at again', async (t) => {
  const { writer, reader, follower, sync } = createRig(t)
  writer.database('d')
  writer.table('d', 'torn', 'ATTACH TABLE _ (`k` UInt64')
  writer.table('d', 'empty', '')
  writer.table('d', 't')
  await sync()
  await sync()
  await sync()
  assert.deepEqual([...reader.tables.keys()], ['`d`.`t`'])
  assert.match(follower.error(), /`d`\.`empty`.*`d`\.`torn`: its definition is not whole/)
  writer.table('d', 'torn')
  writer.drop('d', 'empty')
  await sync()
  assert.equal(follower.error(), '')
  assert.ok(reader.tables.has('`d`.`torn`'))
})

test('what cannot be read is not taken for gone', {
  skip: process.getuid?.() === 0 && 'root reads all',
}, async (t) => {
  const { writer, reader, follower, sync } = createRig(t)
  writer.database('d')
  writer.table('d', 't')
  await sync()
  chmodSync(writer.metadata, 0o000)
  assert.deepEqual(await sync(), [])
  assert.match(follower.error(), /cannot read the writer's catalog/)
  chmodSync(writer.metadata, 0o700)
  await sync()
  assert.equal(follower.error(), '')
  assert.equal(reader.tables.size, 1)
})

test('a source that fails leaves all as it is', async (t) => {
  const catalog = {
    databases: new Map([
      ['d', { definition: '', tables: new Map([['v', 'ATTACH VIEW _ (`k` UInt8) AS SELECT 1 AS k']]) }],
    ]),
    functions: new Map(),
    namedCollections: new Map(),
  }
  let failure: Error | null = null
  const readSource = async () => {
    if (failure) throw failure
    return catalog
  }
  const { reader, follower, sync } = createRig(t, { readSource })
  await sync()
  assert.deepEqual([...reader.tables.keys()], ['`d`.`v`'])
  failure = new Error('EIO')
  assert.deepEqual(await sync(), [])
  assert.equal(follower.error(), "cannot read the writer's catalog: EIO")
  failure = null
  await sync()
  assert.equal(follower.error(), '')
})

test('an empty metadata directory is one that has not been filled, or an error', async (t) => {
  const { writer, reader, follower, sync } = createRig(t)
  await sync()
  assert.equal(follower.error(), '')
  writer.database('d')
  writer.table('d', 't')
  await sync()
  writer.drop('d', 't')
  writer.dropDatabase('d')
  await sync()
  assert.match(follower.error(), /is empty or gone/)
  assert.equal(reader.tables.size, 1)
})

test('secrets stay out of the errors', async (t) => {
  const { writer, reader, follower, log, sync } = createRig(t)
  writer.put(join(writer.dataDir, 'named_collections', 'c.sql'), "CREATE NAMED COLLECTION c AS k = 's3cret'")
  writer.database('d')
  writer.table('d', 's3', "ATTACH TABLE _\n(\n    `k` UInt8\n)\nENGINE = S3('http://h/b', 'id', 's3cret')\n")
  reader.fail = (sql) =>
    sql.includes('s3cret')
      ? `Query failed: Code: 62. DB::Exception: Syntax error: ${sql} (SYNTAX_ERROR)`
      : null
  for (let round = 0; round < 3; round++) await sync()
  assert.equal(
    follower.error(),
    'cannot follow named collection c: Code: 62 (SYNTAX_ERROR); `d`.`s3`: Code: 62 (SYNTAX_ERROR)',
  )
  assert.ok(!JSON.stringify(log.lines).includes('s3cret'))
})
