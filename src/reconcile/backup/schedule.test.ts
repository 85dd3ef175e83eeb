import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configure, createRig, hourMs, minuteMs } from '../../../test/support/scaled-backups.ts'
import { addService } from '../../../test/support/store-records.ts'
import { claimOne } from '../../../test/support/store-rig.ts'
import type { BackupRecord } from '../../domain/backup/types.ts'

const hoursOf = (backups: BackupRecord[], sinceMs: number) =>
  backups.map(({ startedAtMs }) => Math.round((startedAtMs - sinceMs) / hourMs)).reverse()

test('a service is backed up by its configuration, the first time a period after it was made', async (t) => {
  const rig = await createRig(t)
  const { boot, clock, list, service, store } = rig
  boot()
  await configure(rig, {})
  await clock.advance(5.9 * hourMs)
  assert.deepEqual(await list(), [])
  await clock.advance(13 * hourMs)
  const backups = await list()
  assert.deepEqual(hoursOf(backups, service.createdAtMs), [6, 12, 18])
  assert.deepEqual(
    backups.map(({ status, requestedBy, type }) => `${status} ${requestedBy} ${type}`),
    ['done schedule incremental', 'done schedule incremental', 'done schedule full'],
  )
  for (const { startedAtMs } of backups)
    assert.ok((startedAtMs - service.createdAtMs) % (6 * hourMs) < 0.1 * hourMs, 'late')
  const trail = await store.activities.list(service.organizationId, {})
  const created = trail.filter(({ type }) => type === 'backup_create')
  assert.equal(created.length, 3)
  assert.deepEqual(
    [created[0]?.actorType, created[0]?.before, created[0]?.after],
    ['system', {}, { state: 'in_progress' }],
  )
  assert.match(created[0]?.reason ?? '', /the next is due/)
})

test('a changed configuration counts at once', async (t) => {
  const rig = await createRig(t)
  const { boot, clock, list } = rig
  boot()
  await clock.advance(8 * hourMs)
  assert.deepEqual(await list(), [])
  await configure(rig, {})
  await clock.advance(2_000)
  assert.equal((await list()).length, 1)
})

test('hours are as short as the time scale says', async (t) => {
  const rig = await createRig(t)
  await configure(rig, {})
  rig.boot({ timeScale: 600 })
  await rig.clock.advance(35_000)
  assert.equal((await rig.list()).length, 0)
  await rig.clock.advance(75_000)
  const started = (await rig.list()).map(({ startedAtMs }) => startedAtMs - rig.service.createdAtMs).reverse()
  assert.equal(started.length, 3)
  for (const [n, ms] of started.entries()) assert.ok(ms >= 36_000 * (n + 1) && ms < 36_000 * (n + 1) + 8_000)
})

test('one that failed is tried again soon, and later each time', async (t) => {
  const rig = await createRig(t)
  const { boot, clock, list, runtime } = rig
  await configure(rig, {})
  boot()
  runtime().failure = 'no space is left on the disk'
  await clock.advance(7.9 * hourMs)
  const minutes = (await list())
    .map(({ startedAtMs }) => (startedAtMs - rig.service.createdAtMs) / minuteMs - 360)
    .reverse()
  assert.equal(minutes.length, 4)
  for (const [n, expected] of [0, 15, 45, 105].entries()) {
    const minute = minutes[n] ?? 0
    assert.ok(minute >= expected && minute < expected + 4, `${minutes}`)
  }
  runtime().failure = ''
  await clock.advance(3 * hourMs)
  assert.equal((await list())[0]?.status, 'done')
})

test('a service that failed, never ran or is deleted is not backed up; one that sleeps is', async (t) => {
  const rig = await createRig(t)
  const { boot, clock, store, service, queued } = rig
  await configure(rig, {})
  const status = { ...service.status, provisioned: true }
  const give = async (over: Partial<typeof status>, deleting = false) => {
    const made = await addService(store, service.organizationId, {
      createdAtMs: clock.now(),
      status: { ...status, ...over },
      spec: { ...service.spec, deleting },
    })
    await store.transaction((tx) =>
      tx.services.saveBackupConfiguration(made.id, {
        backupPeriodInHours: 6,
        backupRetentionPeriodInHours: 24,
        backupStartTime: '',
      }),
    )
    return made
  }
  const failed = await give({ state: 'failed' })
  const young = await give({ state: 'provisioning', provisioned: false })
  const gone = await give({ state: 'terminating' }, true)
  const asleep = await give({ state: 'idle' })
  const stopped = await give({ state: 'stopped' })
  const secondary = await addService(store, service.organizationId, { isPrimary: false, status })
  boot()
  await clock.advance(7 * hourMs)
  const made = async (id: string) => (await store.backups.list(id)).length
  assert.deepEqual(
    await Promise.all([failed, young, gone, asleep, stopped, secondary].map(({ id }) => made(id))),
    [0, 0, 0, 1, 1, 0],
  )
  assert.ok(!(await queued()).includes(`backup_schedule/${gone.id}`))
  const claim = await claimOne(store, 'service', failed.id)
  await store.services.saveStatus(failed, { ...failed.status, state: 'running' }, claim)
  await clock.advance(11 * minuteMs)
  assert.equal(await made(failed.id), 1)
})

test('none is begun while one runs, and a long one is followed by one', async (t) => {
  const rig = await createRig(t)
  const { boot, clock, list, runtime } = rig
  await configure(rig, {})
  boot()
  runtime().makeMs = 13 * hourMs
  await clock.advance(18.9 * hourMs)
  assert.deepEqual(
    (await list()).map(({ status }) => status),
    ['in_progress'],
  )
  assert.ok(rig.runs('backup_schedule') < 40, 'it looks again and again at what cannot begin')
  runtime().makeMs = 500
  await clock.advance(hourMs)
  assert.deepEqual(hoursOf(await list(), rig.service.createdAtMs), [6, 19])
})

test('a service that is removed leaves no item behind', async (t) => {
  const { boot, clock, store, service, queued } = await createRig(t)
  boot()
  await clock.advance(2_000)
  const claim = await claimOne(store, 'service', service.id)
  await store.transaction((tx) => tx.services.remove(service, claim))
  await clock.advance(2_000)
  assert.deepEqual(
    (await queued()).filter((item) => item.startsWith('backup_schedule/')),
    [],
  )
})
