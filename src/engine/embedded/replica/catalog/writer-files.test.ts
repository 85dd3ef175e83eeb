import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createFakeWriter, mergeTree } from '../../../../../test/support/fake-writer.ts'
import { createWriterFiles, unescapeFileName } from './writer-files.ts'

function createRig(t: TestContext, now: () => number = Date.now) {
  const writer = createFakeWriter()
  t.after(writer.remove)
  return { writer, files: createWriterFiles(writer.dataDir, now) }
}

/** So late that the time of every file counts as aged. */
const muchLater = () => Date.now() + 3_600_000

test('names of files', () => {
  assert.equal(unescapeFileName('plain_1'), 'plain_1')
  assert.equal(unescapeFileName('%2Einner_id%2E12%2Dab'), '.inner_id.12-ab')
  assert.equal(unescapeFileName('we%20ird%2Edb%2D%C3%BC%27%22%25'), `we ird.db-ü'"%`)
  for (const name of ['', 'a b', 'a%2', 'a%zz', '%FF', '.hidden']) assert.equal(unescapeFileName(name), null)
})

test('databases, tables, functions and collections', (t) => {
  const { writer, files } = createRig(t)
  writer.database('default')
  writer.database('we%20ird')
  writer.put(join(writer.metadata, 'mem.sql'), 'ATTACH DATABASE mem\nENGINE = Memory\n')
  writer.table('default', 'first', 'one _')
  writer.table('we%20ird', 't%2Eu', 'two _')
  writer.put(join(writer.dataDir, 'user_defined', 'function_f.sql'), 'f')
  writer.put(join(writer.dataDir, 'named_collections', 'c.sql'), 'c')
  const { databases, functions, namedCollections } = files.read()
  assert.deepEqual([...databases.keys()].sort(), ['default', 'mem', 'we ird'])
  assert.equal(databases.get('default')?.definition, '')
  assert.match(databases.get('default')?.tables.get('first') ?? '', /^one _ UUID/)
  assert.match(databases.get('we ird')?.definition ?? '', /ENGINE = Atomic/)
  assert.match(databases.get('we ird')?.tables.get('t.u') ?? '', /^two _ UUID/)
  assert.equal(databases.get('mem')?.tables.size, 0)
  assert.deepEqual([...functions], [['function_f', 'f']])
  assert.deepEqual([...namedCollections], [['c', 'c']])
})

test('what is temporary, detached for good or on its way into another place is left out', (t) => {
  const { writer, files } = createRig(t)
  writer.database('d')
  for (const table of ['t', 'detached', '%2Etmp%2Einner_id%2E12', '_tmp_replace_1_2'])
    writer.table('d', table)
  const inside = join(writer.metadata, 'd')
  writeFileSync(join(inside, 'detached.sql.detached'), '')
  writeFileSync(join(inside, 'x.sql.tmp'), mergeTree('k'))
  writeFileSync(join(inside, 'y.sql.tmp_123'), mergeTree('k'))
  symlinkSync('nowhere', join(inside, 'gone.sql'))
  assert.deepEqual([...(files.read().databases.get('d')?.tables.keys() ?? [])], ['t'])
})

test('the same object for as long as nothing has changed', (t) => {
  for (const now of [Date.now, muchLater]) {
    const { writer, files } = createRig(t, now)
    writer.database('d')
    const uuid = writer.table('d', 't')
    const first = files.read()
    assert.equal(files.read(), first)
    writer.table('d', 't', mergeTree('k', 'x'), uuid)
    const second = files.read()
    assert.notEqual(second, first)
    assert.match(second.databases.get('d')?.tables.get('t') ?? '', /`x`/)
    assert.equal(files.read(), second)
    writer.drop('d', 't')
    assert.equal(files.read().databases.get('d')?.tables.size, 0)
  }
})

test('what has changed lately is read again though its time is the same', (t) => {
  const { writer, files } = createRig(t)
  writer.database('d')
  writer.table('d', 't', 'one _')
  files.read()
  // Written in place, which leaves the directory's time as it was, as if both changes fell into one clock tick.
  writeFileSync(writer.fileOf('d', 't'), 'two')
  assert.equal(files.read().databases.get('d')?.tables.get('t'), 'two')
})

test('an old directory costs no reading, but is looked at now and then', (t) => {
  const { writer, files } = createRig(t, muchLater)
  writer.database('d')
  writer.table('d', 't', 'one _')
  const first = files.read()
  writeFileSync(writer.fileOf('d', 't'), 'two')
  assert.equal(files.read(), first)
  for (let look = 0; look < 64; look++) files.read()
  assert.equal(files.read().databases.get('d')?.tables.get('t'), 'two')
})

test('a database that was dropped and made again is another directory', (t) => {
  const { writer, files } = createRig(t, muchLater)
  writer.database('d')
  writer.table('d', 't')
  files.read()
  writer.dropDatabase('d')
  writer.database('d')
  assert.equal(files.read().databases.get('d')?.tables.size, 0)
  assert.ok(files.directories().includes(join(writer.metadata, 'd')))
})

test('no directory is no tables, but one that was there does not go', (t) => {
  const { writer } = createRig(t)
  const files = createWriterFiles(join(writer.dataDir, 'not', 'yet'))
  assert.equal(files.read().databases.size, 0)
  mkdirSync(join(writer.dataDir, 'not', 'yet', 'metadata', 'default'), { recursive: true })
  assert.deepEqual([...files.read().databases.keys()], ['default'])
  writer.remove()
  assert.throws(() => files.read(), /empty or gone/)
})
