import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  configure,
  createRig,
  hourMs,
  insertBackups,
  minuteMs,
  past,
} from '../../../test/support/scaled-backups.ts'
import { addService } from '../../../test/support/store-records.ts'
import { claimOne } from '../../../test/support/store-rig.ts'

test('what is out of retention goes: the files first, then the record, each before what it stands on', async (t) => {
  const rig = await createRig(t)
  const { boot, clock, list, runtime, backupsQueued, store, service } = rig
  const old = past(rig, 60)
  const older = past(rig, 54, { type: 'incremental', baseId: old.id })
  const oldest = past(rig, 48, { type: 'incremental', baseId: older.id })
  const failed = past(rig, 30, { status: 'error' })
  const fresh = past(rig, 12)
  const newest = past(rig, 1, { type: 'incremental', baseId: fresh.id })
  const removed: string[] = []
  runtime().before = (call, id) => void (call === 'remove' && removed.push(id))
  await configure(rig, {})
  await insertBackups(rig, old, older, oldest, failed, fresh, newest)
  boot()
  await clock.advance(5_000)
  assert.deepEqual(
    removed.filter((id) => id !== failed.id),
    [oldest.id, older.id, old.id],
  )
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    [newest.id, fresh.id],
  )
  assert.deepEqual([...runtime().disk.keys()], [fresh.id, newest.id])
  assert.deepEqual(await backupsQueued(), [])
  const trail = await store.activities.list(service.organizationId, {})
  const told = trail.filter(({ type }) => type === 'backup_state')
  assert.equal(told.length, 4)
  assert.match(told[0]?.reason ?? '', /^it is removed: 3 backups of 1 chain and 1 failed backup finished/)
})

test('it goes when its time has come, without any other reason to look', async (t) => {
  const rig = await createRig(t)
  const { boot, clock, list } = rig
  await configure(rig, { backupPeriodInHours: 48 })
  const old = past(rig, 23)
  const fresh = [past(rig, 3), past(rig, 2)]
  await insertBackups(rig, old, ...fresh)
  boot()
  await clock.advance(0.9 * hourMs)
  assert.equal((await list()).length, 3)
  await clock.advance(1.3 * hourMs)
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    [...fresh].reverse().map(({ id }) => id),
  )
})

test('a chain of which one is being restored or read back stays until that is over', async (t) => {
  const rig = await createRig(t)
  const { boot, clock, list, store, service } = rig
  const old = past(rig, 60)
  const restored = past(rig, 54, { type: 'incremental', baseId: old.id })
  await insertBackups(rig, old, restored, past(rig, 3), past(rig, 2))
  await configure(rig, { backupPeriodInHours: 48 })
  const filled = await addService(store, service.organizationId, {
    spec: { ...service.spec, restoredFrom: restored.id },
    status: { ...service.status, state: 'provisioning', provisioned: false },
  })
  assert.deepEqual(await store.services.restoring([old.id, restored.id]), [restored.id])
  boot()
  await clock.advance(2 * hourMs)
  assert.equal((await list()).length, 4)
  const claim = await claimOne(store, 'service', filled.id)
  await store.services.saveStatus(filled, { ...filled.status, provisioned: true }, claim)
  assert.deepEqual(await store.services.restoring([old.id, restored.id]), [])
  await clock.advance(1.1 * hourMs)
  assert.equal((await list()).length, 2)
})

test('one that cannot be removed does not keep the others, and is no longer offered', async (t) => {
  const rig = await createRig(t)
  const { boot, clock, list, runtime } = rig
  const stuck = past(rig, 60, { place: 'bucket' })
  runtime().disk.set(stuck.id, {
    place: 'https://s3.test/bucket/',
    baseId: null,
    whole: true,
    damaged: false,
  })
  const other = past(rig, 50)
  const fresh = [past(rig, 3), past(rig, 2)]
  runtime().before = (call, id) => {
    if (call === 'remove' && id === stuck.id) throw new Error('the bucket is away')
  }
  await configure(rig, { backupPeriodInHours: 48 })
  await insertBackups(rig, stuck, other, ...fresh)
  boot()
  await clock.advance(hourMs)
  const left = await list()
  assert.deepEqual(
    left.map(({ status }) => status),
    ['done', 'done', 'error'],
  )
  assert.match(left[2]?.reason ?? '', /^it is removed: /)
  runtime().before = () => undefined
  await clock.advance(11 * hourMs)
  assert.equal((await list()).length, 2)
  assert.equal(runtime().disk.size, 2)
})

test('a retention that is made longer comes too late for what is already going', async (t) => {
  const rig = await createRig(t)
  const { boot, clock, list, runtime } = rig
  const old = past(rig, 60)
  runtime().before = (call) => {
    if (call === 'remove') throw new Error('not now')
  }
  await configure(rig, { backupPeriodInHours: 48 })
  await insertBackups(rig, old, past(rig, 3), past(rig, 2))
  boot()
  await clock.advance(minuteMs)
  await configure(rig, { backupPeriodInHours: 48, backupRetentionPeriodInHours: 720 })
  runtime().before = () => undefined
  await clock.advance(11 * hourMs)
  assert.equal((await list()).length, 2)
  assert.equal(runtime().disk.size, 2)
})

test('a chain goes from its end: while that cannot be removed, the files below it stay', async (t) => {
  const rig = await createRig(t)
  const { boot, clock, list, runtime } = rig
  const base = past(rig, 60)
  const end = past(rig, 54, { type: 'incremental', baseId: base.id })
  runtime().before = (call, id) => {
    if (call === 'remove' && id === end.id) throw new Error('not now')
  }
  await configure(rig, { backupPeriodInHours: 48 })
  await insertBackups(rig, base, end, past(rig, 3), past(rig, 2))
  boot()
  await clock.advance(hourMs)
  assert.ok(runtime().disk.has(base.id) && runtime().disk.has(end.id))
  runtime().before = () => undefined
  await clock.advance(11 * hourMs)
  assert.equal((await list()).length, 2)
  assert.equal(runtime().disk.size, 2)
})
