import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../../../test/support/store-rig.ts'
import { openJobRoom } from './job-room.ts'

function createRoom(t: TestContext) {
  const backups = temporaryFolder(t)
  const path = join(backups, '.jobs', 'replica.1')
  const add = (folder: string, ...names: string[]) => {
    for (const name of names) {
      mkdirSync(join(folder, name, '..'), { recursive: true })
      writeFileSync(join(folder, name), name)
    }
  }
  return { backups, path, add, room: openJobRoom(path, backups) }
}

test('a writer is lent the files of a backup, or only their list, and nothing when the job is over', async (t) => {
  const { backups, path, add, room } = createRoom(t)
  add(join(backups, 'b1'), '.backup', 'data/t/part')
  add(join(backups, 'b2'), '.backup', 'data/t/part')
  await room.lend(['b1'], 'everything')
  await room.lend(['b2'], 'manifests')
  const lent = join(path, 'bases')
  assert.equal(readFileSync(join(lent, 'b1/data/t/part'), 'utf8'), 'data/t/part')
  // The same inode: a hard link, not a copy.
  assert.equal(statSync(join(lent, 'b1/data/t/part')).ino, statSync(join(backups, 'b1/data/t/part')).ino)
  assert.deepEqual(readdirSync(join(lent, 'b2')), ['.backup'])
  const { ino } = statSync(lent)
  await room.clear()
  assert.deepEqual(readdirSync(lent), [])
  assert.equal(statSync(lent).ino, ino)
  assert.ok(existsSync(join(backups, 'b1/data/t/part')))
})

test('a finished backup is moved out once, however often it is asked for; one without its list is not', async (t) => {
  const { backups, path, add, room } = createRoom(t)
  add(join(path, 'new/half'), 'data/t/part')
  await room.moveOut('half')
  assert.ok(!existsSync(join(backups, 'half')))
  await room.clear('half')
  assert.ok(!existsSync(join(path, 'new/half')))
  add(join(path, 'new/whole'), '.backup', 'data/t/part')
  for (let round = 0; round < 2; round++) await room.moveOut('whole')
  assert.deepEqual(readdirSync(join(backups, 'whole')).sort(), ['.backup', 'data'])
  assert.deepEqual(readdirSync(join(path, 'new')), [])
})
