import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createFakeBackups } from '../../../test/support/fake-backups.ts'
import { createFakeEngine } from '../../../test/support/fake-engine.ts'
import { createLoopRig } from '../../../test/support/loop-rig.ts'
import { addOrganization, addService, backupOf } from '../../../test/support/store-records.ts'
import { claimOne } from '../../../test/support/store-rig.ts'
import type { BackupRecord } from '../../domain/backup/types.ts'
import type { BackupLocation } from '../../engine/backup.ts'
import { createServiceLoop } from '../services.ts'
import { createBackupLocator } from './locator.ts'
import { createBackupLoop } from './loop.ts'
import { createBackupPurge } from './removal.ts'

const bucket: BackupLocation = {
  kind: 's3',
  url: 'https://s3.test/bucket/',
  accessKeyId: 'key',
  secretAccessKey: 'secret',
  roleArn: '',
  roleSessionName: '',
}

/** A service with the service loop and the backup loops. */
async function createRig(t: TestContext) {
  const rig = await createLoopRig(t)
  const { store, clock } = rig
  const engine = createFakeEngine({ clock })
  const runtime = createFakeBackups({ clock })
  const locations = {
    current: async () => 'local',
    resolve: async (place: string) => (place === 'local' ? { kind: 'local' as const } : bucket),
  }
  const { id: organizationId } = await addOrganization(store)
  const service = await addService(store, organizationId)
  const purgeBackups = createBackupPurge({ store, runtime })
  return {
    ...rig,
    engine,
    runtime,
    locations,
    organizationId,
    service,
    start: () =>
      rig.start(
        createServiceLoop({ store, engine, clock, purgeBackups }),
        createBackupLoop({ store, runtime, locations, clock }),
      ),
    async addBackup(over: Partial<BackupRecord> = {}) {
      const done = { status: 'done' as const, finishedAtMs: clock.now() }
      const backup = backupOf(service, { startedAtMs: clock.now(), ...done, ...over })
      await store.transaction((tx) => tx.backups.insert(backup))
      const place = backup.place === 'local' ? 'local' : 'https://s3.test/bucket/'
      if (backup.status === 'done')
        runtime.disk.set(backup.id, { place, baseId: null, whole: true, damaged: false })
      return backup
    },
    async remove() {
      const current = (await store.services.find(service.id)) ?? assert.fail()
      const spec = { ...current.spec, power: 'off' as const, deleting: true }
      const status = { ...current.status, state: 'terminating' as const }
      await store.transaction((tx) => tx.services.saveIntent({ ...current, spec, status }))
    },
  }
}

test('the local backups of a deleted service go with its data; those in a bucket stay and can be restored', async (t) => {
  const { start, clock, store, service, runtime, addBackup, remove, locations, queued } = await createRig(t)
  start()
  await clock.advance(15_000)
  const local = await addBackup()
  const kept = await addBackup({ place: 'bucket-1' })
  await remove()
  await clock.advance(10_000)
  assert.equal(await store.services.find(service.id), null)
  assert.equal(await store.backups.find(local.id), null)
  assert.deepEqual([...runtime.disk.keys()], [kept.id])
  const locate = createBackupLocator({ store, locations })
  assert.deepEqual(await locate(kept.id), { backupId: kept.id, place: bucket })
  assert.equal(await locate(local.id), null)
  assert.deepEqual(await queued(), [])
})

test('a backup that runs is ended before its service is forgotten', async (t) => {
  const { start, clock, store, service, runtime, addBackup, remove } = await createRig(t)
  start()
  await clock.advance(15_000)
  runtime.makeMs = 1_000_000
  const running = await addBackup({ status: 'in_progress', finishedAtMs: null })
  await clock.advance(2_000)
  assert.deepEqual(runtime.running(), [running.id])
  await remove()
  await clock.advance(15_000)
  assert.deepEqual([runtime.running(), runtime.disk.size], [[], 0])
  assert.equal(await store.services.find(service.id), null)
  const told = (await store.activities.list(service.organizationId, {})).find(
    ({ resourceId, after }) => resourceId === running.id && after['state'] === 'error',
  )
  assert.equal(told?.reason, 'the service was deleted')
})

test('while a backup runs, nothing of its service is removed', async (t) => {
  const { store, service, runtime, addBackup } = await createRig(t)
  const local = await addBackup()
  await addBackup({ status: 'in_progress', finishedAtMs: null })
  const claim = await claimOne(store, 'service', service.id)
  const purge = createBackupPurge({ store, runtime })
  assert.equal(await purge(service, claim), 'its backup is being ended')
  assert.deepEqual([...runtime.disk.keys()], [local.id])
})

test('files that cannot be removed keep the service, with the reason, until they are', async (t) => {
  const { start, clock, store, service, runtime, addBackup, remove } = await createRig(t)
  start()
  await clock.advance(15_000)
  await addBackup()
  runtime.before = (call) => {
    if (call === 'remove') throw new Error('the disk does not answer')
  }
  await remove()
  await clock.advance(10_000)
  const { state, reason } = (await store.services.find(service.id))?.status ?? assert.fail()
  assert.deepEqual([state, reason], ['terminating', 'the disk does not answer'])
  runtime.before = () => undefined
  await clock.advance(60_000)
  assert.equal(await store.services.find(service.id), null)
  assert.equal(runtime.disk.size, 0)
})

test('a backup that another service is being filled from is kept until that is done', async (t) => {
  const rig = await createRig(t)
  const { start, clock, store, service, engine, runtime, addBackup, remove } = rig
  start()
  await clock.advance(15_000)
  const backup = await addBackup()
  const spec = { ...service.spec, restoredFrom: backup.id }
  engine.replicasAtMost = 0
  const filled = await addService(store, rig.organizationId, { spec })
  await remove()
  await clock.advance(20_000)
  const { reason } = (await store.services.find(service.id))?.status ?? assert.fail()
  assert.equal(reason, 'another service is being filled from its backup')
  assert.equal(runtime.disk.size, 1)
  engine.replicasAtMost = null
  await clock.advance(30_000)
  assert.equal((await store.services.find(filled.id))?.status.provisioned, true)
  assert.equal(await store.services.find(service.id), null)
  assert.equal(runtime.disk.size, 0)
})

test('a service that is being filled shows how far that is, and fails with the reason when it cannot be', async (t) => {
  const rig = await createRig(t)
  const { start, clock, store, service, engine, addBackup } = rig
  const backup = await addBackup()
  const spec = { ...service.spec, restoredFrom: backup.id }
  engine.replicasAtMost = 0
  const observe = engine.observe
  let progress = 'restoring the backup: 43 % (1.2 of 2.8 GB)'
  engine.observe = async (ref) => ({ ...(await observe(ref)), power: 'turning_on', progress })
  const filled = await addService(store, rig.organizationId, { spec })
  const told = async () => {
    const { state, reason } = (await store.services.find(filled.id))?.status ?? assert.fail()
    return `${state}: ${reason}`
  }
  start()
  await clock.advance(10_000)
  assert.equal(await told(), 'provisioning: restoring the backup: 43 % (1.2 of 2.8 GB)')
  assert.equal(engine.applied.find(({ serviceId }) => serviceId === filled.id)?.restoreFrom, backup.id)
  progress = ''
  engine.problem = { message: 'the bucket does not answer', retryable: true }
  await clock.advance(10_000)
  assert.equal(await told(), 'provisioning: the bucket does not answer')
  engine.problem = { message: 'data.bin of the backup is damaged', retryable: false }
  await clock.advance(10_000)
  assert.equal(await told(), 'failed: data.bin of the backup is damaged')
})

test('only a backup that is done and not damaged is found for a restore', async (t) => {
  const { store, locations, addBackup } = await createRig(t)
  const locate = createBackupLocator({ store, locations })
  const { id } = await addBackup()
  assert.deepEqual(await locate(id), { backupId: id, place: { kind: 'local' } })
  assert.equal(await locate((await addBackup({ damaged: true })).id), null)
  assert.equal(await locate((await addBackup({ status: 'error' })).id), null)
  assert.equal(await locate('unknown'), null)
})
