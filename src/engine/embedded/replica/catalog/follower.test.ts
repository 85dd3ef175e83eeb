import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mergeTree } from '../../../../../test/support/fake-writer.ts'
import { createRig } from '../../../../../test/support/follower-rig.ts'
import { createRecordingLog } from '../../../../../test/support/recording-log.ts'
import { createCatalogFollower } from './follower.ts'

test('attaches what is there, in the order of what is made of what', async (t) => {
  const { writer, reader, follower, sync } = createRig(t)
  writer.database('default')
  writer.database('d')
  writer.table('d', 'a_view', 'ATTACH VIEW _\n(\n    `k` UInt64\n)\nAS SELECT k FROM d.t\n')
  writer.table('d', 'all', "ATTACH TABLE _\n(\n    `k` UInt64\n)\nENGINE = Merge('d', '^t')\n")
  writer.table('d', 'dict', 'CREATE DICTIONARY _\n(\n    `k` UInt64\n)\nPRIMARY KEY k\nLAYOUT(FLAT())\n')
  writer.table('d', 't')
  writer.table('d', 'memory', 'ATTACH TABLE _\n(\n    `k` UInt64\n)\nENGINE = Memory\n')
  writer.table('default', 'x%2Dy')
  writer.put(join(writer.dataDir, 'user_defined', 'function_f.sql'), 'CREATE FUNCTION f AS x -> (x + 1)\n')
  writer.put(
    join(writer.dataDir, 'named_collections', 'c.sql'),
    "CREATE NAMED COLLECTION c AS password = 'p'",
  )
  assert.deepEqual(await sync(), [
    'DROP NAMED COLLECTION IF EXISTS `c`',
    "CREATE NAMED COLLECTION `c` AS password = 'p'",
    'CREATE OR REPLACE FUNCTION `f` AS x -> (x + 1)',
    'CREATE DATABASE `d` ENGINE = Atomic',
    'ATTACH TABLE `d`.`t`',
    'ATTACH TABLE `default`.`x-y`',
    'CREATE OR REPLACE DICTIONARY `d`.`dict` (\n    `k` UInt64\n)\nPRIMARY KEY k\nLAYOUT(FLAT())',
    'ATTACH VIEW `d`.`a_view`',
    'ATTACH TABLE `d`.`all`',
  ])
  assert.equal(follower.error(), '')
  assert.deepEqual(await sync(), [], 'nothing has changed')
  assert.ok(!reader.tables.has('`d`.`memory`'))
})

test('a new definition takes the place of the old one in one step', async (t) => {
  const { writer, reader, sync } = createRig(t)
  writer.database('d')
  const uuid = writer.table('d', 't')
  await sync()
  writer.table('d', 't', mergeTree('k', 'added'), uuid)
  assert.deepEqual(await sync(), [
    'CREATE DATABASE IF NOT EXISTS `_granary_side_room` ENGINE = Atomic',
    'ATTACH TABLE `_granary_side_room`.`t1`',
    'EXCHANGE TABLES `d`.`t` AND `_granary_side_room`.`t1`',
    'DETACH TABLE `_granary_side_room`.`t1`',
    'DROP DATABASE `_granary_side_room`',
  ])
  assert.match(reader.tables.get('`d`.`t`') ?? '', /`added`/)
  assert.deepEqual([...reader.databases], ['`default`', '`d`'])
})

test('renamed and exchanged tables move as they moved on the writer', async (t) => {
  const { writer, sync } = createRig(t)
  writer.database('d')
  writer.database('e')
  for (const table of ['a', 'b', 'c']) writer.table('d', table, mergeTree('k', table))
  await sync()
  writer.exchange(['d', 'a'], ['d', 'b'])
  writer.rename(['d', 'c'], ['e', 'c'])
  assert.deepEqual(await sync(), ['EXCHANGE TABLES `d`.`a` AND `d`.`b`', 'RENAME TABLE `d`.`c` TO `e`.`c`'])
  assert.deepEqual(await sync(), [])
})

test('a chain of renames, and a circle of three that must be attached anew', async (t) => {
  const { writer, reader, sync } = createRig(t)
  writer.database('d')
  for (const table of ['a', 'b', 'c']) writer.table('d', table, mergeTree('k', `of_${table}`))
  await sync()
  writer.rename(['d', 'c'], ['d', 'free'])
  writer.rename(['d', 'b'], ['d', 'c'])
  writer.rename(['d', 'a'], ['d', 'b'])
  assert.deepEqual(await sync(), [
    'RENAME TABLE `d`.`c` TO `d`.`free`',
    'RENAME TABLE `d`.`b` TO `d`.`c`',
    'RENAME TABLE `d`.`a` TO `d`.`b`',
  ])
  writer.rename(['d', 'free'], ['d', 'x'])
  writer.rename(['d', 'b'], ['d', 'free'])
  writer.rename(['d', 'c'], ['d', 'b'])
  writer.rename(['d', 'x'], ['d', 'c'])
  await sync()
  const found = ['b', 'c', 'free'].map(
    (name) => /of_\w/.exec(reader.tables.get(`\`d\`.\`${name}\``) ?? '')?.[0],
  )
  assert.deepEqual(found, ['of_b', 'of_c', 'of_a'])
})

test('dropped tables and databases leave nothing behind', async (t) => {
  const { writer, reader, sync } = createRig(t)
  writer.database('d')
  writer.database('e')
  writer.table('d', 't')
  writer.table('d', 'dict', 'CREATE DICTIONARY _\n(\n    `k` UInt64\n)\nPRIMARY KEY k\n')
  writer.table('e', 't')
  await sync()
  writer.drop('e', 't')
  writer.dropDatabase('d')
  await sync()
  assert.equal(reader.tables.size, 0)
  assert.deepEqual([...reader.databases], ['`default`', '`e`'])
  // The name is free for another table.
  writer.table('e', 't', mergeTree('k', 'second'))
  assert.deepEqual(await sync(), ['ATTACH TABLE `e`.`t`'])
})

test('a sync that is asked for while one runs sees what that one may have missed', async (t) => {
  const { writer, reader, follower } = createRig(t)
  writer.database('d')
  writer.table('d', 'a')
  const { run } = reader
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = createCatalogFollower({
    dataDir: writer.dataDir,
    log: createRecordingLog(),
    run: async (sql) => {
      await held
      return run(sql)
    },
  })
  t.after(() => slow.stop())
  const first = slow.sync()
  writer.table('d', 'b')
  const [second, third] = [slow.sync(), slow.sync()]
  assert.equal(second, third, 'they share a round')
  release()
  await first
  assert.deepEqual([...reader.tables.keys()], ['`d`.`a`'])
  await second
  assert.deepEqual([...reader.tables.keys()], ['`d`.`a`', '`d`.`b`'])
  assert.equal(follower.error(), '')
})

test('follows by itself after the start, and no more after the stop', async (t) => {
  const { writer, reader, follower, clock } = createRig(t)
  writer.database('d')
  writer.table('d', 'a')
  await follower.start()
  assert.equal(reader.tables.size, 1)
  writer.table('d', 'b')
  await clock.advance(250)
  assert.equal(reader.tables.size, 2)
  await follower.stop()
  writer.table('d', 'c')
  await follower.sync()
  await clock.advance(1_000)
  assert.equal(reader.tables.size, 2)
  assert.equal(clock.sleepers(), 0)
})

test('functions that change or go', async (t) => {
  const { writer, reader, sync } = createRig(t)
  const file = join(writer.dataDir, 'user_defined', 'function_odd%20name.sql')
  writer.put(file, 'CREATE FUNCTION `odd name` AS x -> (x + 1)\n')
  await sync()
  writer.put(file, 'CREATE FUNCTION `odd name` AS x -> (x + 2)\n')
  writeFileSync(join(writer.dataDir, 'user_defined', 'function_torn.sql'), 'CREATE FUNC')
  await sync()
  assert.deepEqual([...reader.functions], [['`odd name`', 'x -> (x + 2)']])
  writer.put(file, '')
  await sync()
  assert.equal(reader.functions.size, 0)
})
