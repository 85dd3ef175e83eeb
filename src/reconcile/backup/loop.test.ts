import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BackupRig, createBackupRig } from '../../../test/support/backup-rig.ts'
import { backupOf } from '../../../test/support/store-records.ts'
import { claimOne } from '../../../test/support/store-rig.ts'

const trailOf = async ({ store, service }: BackupRig, id: string) =>
  (await store.activities.list(service.organizationId, {}))
    .filter(({ resourceId }) => resourceId === id)
    .map(({ before, after }) => `${before['state'] ?? ''} > ${after['state'] ?? ''}`)

test('a backup is made and then read back; on the way it tells how far it is', async (t) => {
  const rig = await createBackupRig(t)
  const { boot, ask, read, watch, runtime, service, backupsQueued } = rig
  const { id, startedAtMs } = await ask()
  boot()
  const seen = await watch(20_000, async () => {
    const { status, reason, verification } = await read(id)
    return `${status}: ${reason || verification.reason}`
  })
  assert.equal(seen[0], 'in_progress: just requested')
  assert.ok(
    seen.some((text) => /^in_progress: backing up: 5\d % \(\d+ kB of 1.0 MB\)$/.test(text)),
    seen.join('\n'),
  )
  assert.ok(seen.some((text) => /^done: reading it back: 5\d % \(\d+ kB of 1.0 MB\)$/.test(text)))
  assert.equal(seen.at(-1), 'done: ')
  const done = await read(id)
  assert.deepEqual(
    [done.sizeInBytes, done.type, done.baseId, done.place, done.attempts],
    [1_000_000, 'full', null, 'local', 1],
  )
  const { status, checkedAtMs, reason } = done.verification
  assert.deepEqual([status, reason], ['good', ''])
  assert.ok((done.finishedAtMs ?? 0) >= startedAtMs + 10_000, 'before it was made')
  assert.ok((checkedAtMs ?? 0) >= (done.finishedAtMs ?? 0) + 5_000, 'before it was read back')
  const ref = { serviceId: service.id, warehouseId: service.warehouseId }
  assert.deepEqual(runtime().applied, [{ backupId: id, place: { kind: 'local' }, ref, baseId: null }])
  assert.deepEqual(await backupsQueued(), [])
  assert.deepEqual(await trailOf(rig, id), ['in_progress > done'], 'progress was told to the trail')
})

test('the next one stands on it; one that goes elsewhere is full and shows its bucket', async (t) => {
  const { boot, ask, read, clock, locations, runtime } = await createBackupRig(t)
  boot()
  const first = await ask()
  await clock.advance(20_000)
  const second = await ask()
  await clock.advance(20_000)
  assert.deepEqual([(await read(second.id)).type, (await read(second.id)).baseId], ['incremental', first.id])
  locations.now = 'bucket'
  const third = await ask()
  await clock.advance(20_000)
  const { type, place, bucket, backupName, status } = await read(third.id)
  assert.deepEqual([status, type, place, backupName], ['done', 'full', 'bucket', third.id])
  const shown = {
    bucketPath: 'https://s3.test/bucket/',
    iamRoleArn: 'arn:role',
    iamRoleSessionName: 'session',
  }
  assert.deepEqual(bucket, shown)
  assert.equal(runtime().applied[2]?.place.kind, 's3')
  assert.doesNotMatch(JSON.stringify(await read(third.id)), /secret"/)
})

test('one whose process was killed is begun anew once, and is then given up', async (t) => {
  const { boot, kill, ask, read, clock, runtime } = await createBackupRig(t)
  boot()
  const { id } = await ask()
  await clock.advance(5_000)
  await kill()
  assert.equal((await read(id)).status, 'in_progress')
  boot()
  await clock.advance(5_000)
  assert.deepEqual([(await read(id)).status, (await read(id)).attempts], ['in_progress', 2])
  assert.equal(runtime().applied.length, 1)
  await kill()
  boot()
  await clock.advance(5_000)
  const { status, reason } = await read(id)
  assert.equal(status, 'error')
  assert.match(reason, /interrupted twice/)
  assert.equal(runtime().disk.size, 0)
})

test('one that was made when its process was killed is only read back again', async (t) => {
  const { boot, kill, ask, read, clock, runtime } = await createBackupRig(t)
  boot()
  const { id } = await ask()
  await clock.advance(12_000)
  assert.deepEqual([(await read(id)).status, (await read(id)).verification.status], ['done', 'in_progress'])
  await kill()
  boot()
  await clock.advance(10_000)
  assert.deepEqual([(await read(id)).status, (await read(id)).verification.status], ['done', 'good'])
  assert.deepEqual(runtime().applied, [])
})

test('a service that is deleted ends its backup, begun or not', async (t) => {
  for (const afterMs of [0, 5_000]) {
    const rig = await createBackupRig(t)
    const { boot, ask, read, clock, runtime, store, service } = rig
    if (afterMs > 0) boot()
    const { id } = await ask()
    await clock.advance(afterMs)
    const spec = { ...service.spec, power: 'off' as const, deleting: true }
    await store.transaction((tx) => tx.services.saveIntent({ ...service, spec }))
    if (afterMs === 0) boot()
    await clock.advance(3_000)
    assert.deepEqual([(await read(id)).status, (await read(id)).reason], ['error', 'the service was deleted'])
    assert.deepEqual([runtime().running(), runtime().disk.size], [[], 0])
  }
})

test('a backup of a service that is gone is an error', async (t) => {
  const { boot, ask, read, clock, runtime, store, service } = await createBackupRig(t)
  const { id } = await ask()
  const claim = await claimOne(store, 'service', service.id)
  await store.transaction((tx) => tx.services.remove(service, claim))
  boot()
  await clock.advance(1_000)
  assert.deepEqual([(await read(id)).status, (await read(id)).reason], ['error', 'the service was deleted'])
  assert.equal(runtime().applied.length, 0)
})

test('a service that never ran is not backed up: it may be half restored', async (t) => {
  const { boot, ask, read, clock, runtime, store, service } = await createBackupRig(t)
  const claim = await claimOne(store, 'service', service.id)
  await store.services.saveStatus(service, { ...service.status, provisioned: false }, claim)
  const { id } = await ask()
  boot()
  await clock.advance(1_000)
  assert.deepEqual(
    [(await read(id)).status, (await read(id)).reason],
    ['error', 'the service has no data yet: it never ran'],
  )
  assert.deepEqual(runtime().applied, [])
})

test('without a runtime a backup is an error that says so, and a check is not made', async (t) => {
  const { boot, ask, read, clock, backupsQueued } = await createBackupRig(t)
  const made = await ask()
  const checked = await ask({
    status: 'done',
    finishedAtMs: 1,
    verification: { status: 'in_progress', checkedAtMs: 5, reason: '' },
  })
  boot({ runtime: null })
  await clock.advance(1_000)
  assert.equal((await read(made.id)).status, 'error')
  assert.match((await read(made.id)).reason, /^no warehouse engine runs here/)
  const { status, verification } = await read(checked.id)
  assert.deepEqual([status, verification.status, verification.checkedAtMs], ['done', 'good', 5])
  assert.deepEqual(await backupsQueued(), [])
})

test('nobody waits for a backup that is only read back', async (t) => {
  const { boot, newService, store, ask, read, clock, runtime } = await createBackupRig(t)
  const first = await ask()
  boot({ atOnce: 1 })
  await clock.advance(12_000)
  const { status, verification } = await read(first.id)
  assert.deepEqual([status, verification.status], ['done', 'in_progress'])
  const next = backupOf(await newService(), { startedAtMs: clock.now() })
  await store.transaction((tx) => tx.backups.insert(next))
  await clock.advance(1_000)
  assert.deepEqual(runtime().running(), [next.id])
  assert.equal((await read(first.id)).verification.status, 'in_progress')
})

test('only a few are made at once; the others wait and say so', async (t) => {
  const { boot, store, newService, read, clock, runtime, service } = await createBackupRig(t)
  const services = [service, await newService(), await newService(), await newService(), await newService()]
  const backups = services.map((each) => backupOf(each, { startedAtMs: clock.now() }))
  for (const backup of backups) await store.transaction((tx) => tx.backups.insert(backup))
  boot({ atOnce: 2 })
  await clock.advance(4_000)
  assert.equal(runtime().running().length, 2)
  const reasons = await Promise.all(backups.map(async ({ id }) => (await read(id)).reason))
  assert.equal(reasons.filter((reason) => reason === 'it waits for other backups to end').length, 3)
  await clock.advance(90_000)
  for (const { id } of backups) assert.equal((await read(id)).status, 'done')
})
