import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createLoopRig } from '../../test/support/loop-rig.ts'
import { addOrganization, addService, backupOf } from '../../test/support/store-records.ts'
import { claimOne } from '../../test/support/store-rig.ts'
import type { BackupObservation, BackupRuntime } from '../engine/backup.ts'
import { createBackupLoop } from './backups.ts'
import { TerminalError } from './loop.ts'

interface FakeRuntime extends BackupRuntime {
  applied: { id: string; ref: object }[]
  observed: BackupObservation
  /** Runs before a call is carried out, and may throw. */
  before(): void
}

async function createRig(t: TestContext) {
  const rig = await createLoopRig(t)
  const { store, clock } = rig
  const { id: organizationId } = await addOrganization(store)
  const service = await addService(store, organizationId)
  const backup = backupOf(service)
  await store.transaction((tx) => tx.backups.insert(backup))
  const runtime: FakeRuntime = {
    applied: [],
    observed: { state: 'absent' },
    before: () => undefined,
    async apply(record, ref) {
      runtime.before()
      runtime.applied.push({ id: record.id, ref })
      runtime.observed = { state: 'running', sizeInBytes: 0, progress: 'begun' }
    },
    async observe() {
      runtime.before()
      return runtime.observed
    },
  }
  return {
    ...rig,
    runtime,
    service,
    backup,
    start: (on: BackupRuntime | null = runtime) => rig.start(createBackupLoop({ store, runtime: on, clock })),
    read: async () => (await store.backups.find(backup.id)) ?? assert.fail(),
    backupsQueued: async () => (await rig.queued()).filter((item) => item.startsWith('backup/')),
  }
}

test('a backup is begun once, shows how far it is, and is done with its size and time', async (t) => {
  const { start, clock, read, runtime, service, backup, backupsQueued } = await createRig(t)
  start()
  await clock.advance(1_000)
  assert.deepEqual([(await read()).status, (await read()).reason], ['in_progress', 'begun'])
  runtime.observed = { state: 'running', sizeInBytes: 500, progress: '3 of 9 tables' }
  await clock.advance(1_000)
  const { status, reason, sizeInBytes, finishedAtMs } = await read()
  assert.deepEqual([status, reason, sizeInBytes, finishedAtMs], ['in_progress', '3 of 9 tables', 500, null])
  runtime.observed = { state: 'done', sizeInBytes: 900, type: 'incremental' }
  await clock.advance(1_000)
  const done = await read()
  const size = { sizeInBytes: 900, type: 'incremental', reason: '' }
  assert.deepEqual(done, { ...backup, ...size, status: 'done', finishedAtMs: done.finishedAtMs })
  assert.ok((done.finishedAtMs ?? 0) > backup.startedAtMs + 2_000)
  const ref = { serviceId: service.id, warehouseId: service.warehouseId }
  assert.deepEqual(runtime.applied, [{ id: backup.id, ref }])
  assert.deepEqual(await backupsQueued(), [])
})

test('a runtime that lost a backup it had begun is asked to go on with it', async (t) => {
  const { start, clock, read, runtime } = await createRig(t)
  start()
  await clock.advance(1_000)
  runtime.observed = { state: 'absent' }
  await clock.advance(1_000)
  assert.equal(runtime.applied.length, 2)
  assert.equal((await read()).status, 'in_progress')
})

test('a backup that fails ends as an error with its reason and its end, never as done', async (t) => {
  const { start, clock, read, runtime, backupsQueued } = await createRig(t)
  start()
  await clock.advance(1_000)
  runtime.observed = { state: 'failed', reason: 'the bucket is full' }
  await clock.advance(1_000)
  const { status, reason, finishedAtMs } = await read()
  assert.deepEqual([status, reason], ['error', 'the bucket is full'])
  assert.notEqual(finishedAtMs, null)
  assert.deepEqual(await backupsQueued(), [])
})

test('a runtime that throws: the reason is shown and it is tried again; for good, it is an error', async (t) => {
  const { start, clock, read, runtime } = await createRig(t)
  runtime.before = () => {
    throw new Error('the engine does not answer')
  }
  start()
  await clock.advance(3_500)
  assert.deepEqual(
    [(await read()).status, (await read()).reason],
    ['in_progress', 'the engine does not answer'],
  )
  runtime.before = () => undefined
  await clock.advance(5_000)
  assert.deepEqual([(await read()).status, (await read()).reason], ['in_progress', 'begun'])
  runtime.before = () => {
    throw new TerminalError('backups are not supported')
  }
  await clock.advance(2_000)
  assert.deepEqual([(await read()).status, (await read()).reason], ['error', 'backups are not supported'])
  runtime.before = () => undefined
  await clock.advance(600_000)
  assert.equal((await read()).status, 'error', 'a backup that ended was taken up again')
})

test('a backup of a service that is gone is an error', async (t) => {
  const { start, clock, read, runtime, store, service } = await createRig(t)
  const claim = await claimOne(store, 'service', service.id)
  await store.transaction((tx) => tx.services.remove(service, claim))
  start()
  await clock.advance(1_000)
  assert.deepEqual([(await read()).status, (await read()).reason], ['error', 'the service was deleted'])
  assert.equal(runtime.applied.length, 0)
})

test('without a runtime a backup is an error that says so', async (t) => {
  const { start, clock, read, backupsQueued } = await createRig(t)
  start(null)
  await clock.advance(1_000)
  const { status, reason } = await read()
  assert.equal(status, 'error')
  assert.match(reason, /^no warehouse engine is part of this build yet/)
  assert.deepEqual(await backupsQueued(), [])
})
