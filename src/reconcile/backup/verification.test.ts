import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createBackupRig } from '../../../test/support/backup-rig.ts'
import { newId } from '../../lib/ids.ts'

/** A chain of three finished backups, and a way to request a verification as the API does. */
async function createRig(t: TestContext) {
  const rig = await createBackupRig(t)
  const { boot, ask, read, clock, store } = rig
  boot()
  const chain: string[] = []
  for (let n = 0; n < 3; n += 1) {
    chain.push((await ask()).id)
    await clock.advance(20_000)
  }
  const check = async (id = '') => {
    const backup = await read(id)
    const verification = { ...backup.verification, status: 'in_progress' as const, reason: '' }
    const progress = { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0 }
    await store.transaction((tx) => tx.backups.saveIntent({ ...backup, progress, verification }))
  }
  return { ...rig, chain, check, last: chain[2] ?? '' }
}

test('a backup is read back on request, shows how far that is, and is good with the time', async (t) => {
  const { read, check, last, watch, clock, backupsQueued } = await createRig(t)
  const before = await read(last)
  await check(last)
  const seen = await watch(8_000, async () => {
    const { status, verification, progress } = await read(last)
    return `${status} ${verification.status} ${progress.bytes} of ${progress.totalBytes}`
  })
  assert.deepEqual(seen, [
    'done in_progress 0 of 0',
    'done in_progress 0 of 1000000',
    'done in_progress 500000 of 1000000',
    'done good 1000000 of 1000000',
  ])
  const { verification, finishedAtMs } = await read(last)
  assert.ok((verification.checkedAtMs ?? 0) > clock.now() - 8_000)
  assert.equal(finishedAtMs, before.finishedAtMs)
  assert.deepEqual(await backupsQueued(), [])
})

test('damage is found with the name of the file, down to the backup that it is in, and told to the trail', async (t) => {
  const { read, check, chain, last, clock, runtime, store, service, ask } = await createRig(t)
  const [full = '', middle = ''] = chain
  const files = runtime().disk.get(full) ?? assert.fail()
  files.damaged = true
  await check(last)
  await clock.advance(60_000)
  for (const id of chain) {
    const { status, damaged, verification } = await read(id)
    assert.deepEqual([status, damaged, verification.status], ['done', true, 'damaged'])
    assert.equal(verification.reason, `${full}/data.bin is not what was written`)
  }
  const trail = await store.activities.list(service.organizationId, {})
  const told = trail.filter(({ resourceId, after }) => resourceId === middle && after['state'] === 'damaged')
  assert.equal(told.length, 1)
  const next = await ask()
  await clock.advance(20_000)
  assert.deepEqual([(await read(next.id)).type, (await read(next.id)).status], ['full', 'done'])
  files.damaged = false
  await check(last)
  await clock.advance(20_000)
  assert.deepEqual([(await read(last)).damaged, (await read(last)).verification.status], [false, 'good'])
})

test('what cannot be read just now is not damaged: what was known before stays, with the reason', async (t) => {
  const { read, check, last, clock, runtime } = await createRig(t)
  const { verification: before } = await read(last)
  runtime().before = (call) => {
    if (call === 'verify') throw new Error('the bucket does not answer')
  }
  await check(last)
  await clock.advance(15_000)
  assert.equal((await read(last)).verification.status, 'in_progress')
  await clock.advance(300_000)
  const { verification, damaged, status } = await read(last)
  const reason = 'it could not be read: the bucket does not answer'
  assert.deepEqual([status, damaged, verification], ['done', false, { ...before, reason }])
})

test('a check that was cut off is made by the next process', async (t) => {
  const { read, check, last, clock, kill, boot } = await createRig(t)
  await check(last)
  await clock.advance(2_000)
  await kill()
  assert.equal((await read(last)).verification.status, 'in_progress')
  boot()
  await clock.advance(10_000)
  assert.equal((await read(last)).verification.status, 'good')
})

test('a bucket that is not known any more cannot be checked, and says so', async (t) => {
  const { boot, ask, read, clock } = await createBackupRig(t)
  const verification = { status: 'in_progress', checkedAtMs: null, reason: '' } as const
  const { id } = await ask({ status: 'done', finishedAtMs: 1, place: newId(), verification })
  boot()
  await clock.advance(1_000)
  const reason = 'its bucket is not known any more'
  assert.deepEqual((await read(id)).verification, { status: 'none', checkedAtMs: null, reason })
})
