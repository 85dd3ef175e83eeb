import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createLeapingClock } from '../../../test/support/leaping-clock.ts'
import { createRecordingLog } from '../../../test/support/recording-log.ts'
import { temporaryFolder } from '../../../test/support/store-rig.ts'
import type { EngineRef } from '../engine.ts'
import { createTrash, type TrashOptions } from './trash.ts'

const ref: EngineRef = { serviceId: 's', warehouseId: 'w' }

function createRig(t: TestContext, step: TrashOptions['step'] = () => {}) {
  const root = temporaryFolder(t)
  const path = join(root, '.trash')
  const directory = join(root, 'w')
  mkdirSync(join(directory, 'data', 'store'), { recursive: true })
  writeFileSync(join(directory, 'data', 'store', 'part'), 'rows')
  const deleted: string[] = []
  const done = Promise.withResolvers<void>()
  const open = () =>
    createTrash({
      path,
      clock: createLeapingClock(),
      log: createRecordingLog(),
      deleted({ serviceId }) {
        deleted.push(serviceId)
        done.resolve()
      },
      step,
    })
  return { path, directory, deleted, done: done.promise, open }
}

test('a warehouse is gone at once, its files soon after', async (t) => {
  const rig = createRig(t)
  const trash = rig.open()
  await trash.put(rig.directory, ref)
  assert.ok(!existsSync(rig.directory))
  assert.deepEqual(trash.held(), [ref])
  await rig.done
  assert.deepEqual([trash.held(), rig.deleted, readdirSync(rig.path)], [[], ['s'], []])
  await trash.put(rig.directory, ref)
  assert.deepEqual(trash.held(), [])
})

test('what cannot be deleted is tried again, and the reason is known meanwhile', async (t) => {
  let failures = 0
  const told: string[] = []
  const rig = createRig(t, (name) => {
    told.push(trash.problemOf('s'))
    if (name === 'delete' && failures < 3) {
      failures += 1
      throw Object.assign(new Error('busy'), { code: 'EBUSY' })
    }
  })
  const trash = rig.open()
  await trash.put(rig.directory, ref)
  await rig.done
  assert.equal(failures, 3)
  assert.equal(told.at(-1), 'EBUSY')
  assert.equal(trash.problemOf('s'), '')
})

test('what an earlier process left is known by its name, and stays until it can be deleted', async (t) => {
  const rig = createRig(t, () => {
    throw new Error('never')
  })
  mkdirSync(join(rig.path, 'w.s.1', 'data'), { recursive: true })
  const trash = rig.open()
  await trash.resume()
  assert.deepEqual(trash.held(), [ref])
  await trash.close()
  assert.deepEqual(readdirSync(rig.path), ['w.s.1'])
})
