import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeTree } from '../../../../../test/support/fake-writer.ts'
import { createRig } from '../../../../../test/support/follower-rig.ts'

test('a table over tables is there only while all of them are', async (t) => {
  const { writer, reader, sync } = createRig(t)
  const merge = (pattern: string) =>
    `ATTACH TABLE _\n(\n    \`k\` UInt64\n)\nENGINE = Merge('d', '${pattern}')\n`
  writer.database('d')
  writer.table('d', 't1')
  writer.table('d', 'over', merge('^t'))
  writer.table('d', 'over_over', merge('^over$'))
  // These two Merge tables read each other.
  writer.table('d', 'x', merge('^[xy]$'))
  writer.table('d', 'y', merge('^[xy]$'))
  await sync()
  const merges = () => [...reader.tables.keys()].filter((name) => name !== '`d`.`t1`').sort()
  assert.deepEqual(merges(), ['`d`.`over_over`', '`d`.`over`', '`d`.`x`', '`d`.`y`'])
  writer.table('d', 't2', 'ATTACH TABLE _\n(\n    `k` UInt64\n)\nENGINE = Log\n')
  await sync()
  assert.deepEqual(merges(), ['`d`.`x`', '`d`.`y`'])
  writer.drop('d', 't2')
  reader.fail = (sql) => (/`t3`/.test(sql) ? 'Code: 36. DB::Exception: no' : null)
  writer.table('d', 't3')
  await sync()
  assert.deepEqual(merges(), ['`d`.`x`', '`d`.`y`'], 'one that fails counts as missing')
  reader.fail = () => null
  await sync()
  assert.equal(merges().length, 5)
})

test('parts that were dropped are let go; merged ones are not looked after', async (t) => {
  const { writer, reader, sync } = createRig(t)
  writer.database('d')
  const uuid = writer.table('d', 't')
  for (const part of ['all_1_1_0', 'all_2_2_0']) writer.part(uuid, part)
  await sync()
  reader.parts.set('`d`.`t`', ['all_1_1_0', 'all_2_2_0'])
  writer.part(uuid, 'all_1_2_1')
  writer.dropPart(uuid, 'all_1_1_0')
  writer.dropPart(uuid, 'all_2_2_0')
  assert.deepEqual(await sync(), [], 'the engine will see the merged part by itself')
  reader.parts.set('`d`.`t`', ['all_1_2_1'])
  writer.dropPart(uuid, 'all_1_2_1')
  assert.ok((await sync()).includes('EXCHANGE TABLES `d`.`t` AND `_granary_side_room`.`t1`'))
  assert.deepEqual(await sync(), [])
})

test('a mutation that comes after its definition is made known', async (t) => {
  const { writer, sync } = createRig(t)
  writer.database('d')
  const uuid = writer.table('d', 't', mergeTree('k', 'a'))
  writer.mutation(uuid, 2, '(RENAME COLUMN x TO a)')
  await sync()
  writer.table('d', 't', mergeTree('k', 'b'), uuid)
  await sync()
  writer.mutation(uuid, 3, '(UPDATE b = 1 WHERE 1)')
  assert.deepEqual(await sync(), [])
  writer.mutation(uuid, 4, '(RENAME COLUMN a TO b)')
  assert.ok((await sync()).some((sql) => sql.startsWith('EXCHANGE TABLES `d`.`t`')))
  assert.deepEqual(await sync(), [], 'once')
})
