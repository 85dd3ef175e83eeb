import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBackupRig } from '../../../test/support/backup-rig.ts'
import { claimOne } from '../../../test/support/store-rig.ts'
import { viewBackup } from '../../domain/backup/view.ts'
import { TerminalError } from '../loop.ts'

test('one that fails in the middle is an error with its reason, and its files are removed', async (t) => {
  const rig = await createBackupRig(t)
  const { boot, ask, read, clock, runtime, backupsQueued } = rig
  runtime().failure = 'no space is left on the disk'
  boot()
  const { id } = await ask()
  await clock.advance(4_000)
  assert.equal(runtime().disk.size, 1)
  await clock.advance(4_000)
  const { status, reason, finishedAtMs } = await read(id)
  assert.deepEqual([status, reason], ['error', 'no space is left on the disk'])
  assert.notEqual(finishedAtMs, null)
  assert.equal(runtime().disk.size, 0)
  assert.deepEqual(await backupsQueued(), [])
  const trail = await rig.store.activities.list(rig.service.organizationId, {})
  const told = trail.filter(({ resourceId }) => resourceId === id).map(({ after }) => after['state'])
  assert.deepEqual(told, ['error'])
})

test('files that cannot be removed now are removed later, also by the next process', async (t) => {
  const { boot, kill, ask, read, clock, runtime, backupsQueued } = await createBackupRig(t)
  const away = () => {
    runtime().failure = 'the bucket is away'
    runtime().before = (call) => {
      if (call === 'remove') throw new Error('the bucket is away')
    }
  }
  away()
  boot()
  const { id } = await ask()
  await clock.advance(600_000)
  assert.equal((await read(id)).status, 'error')
  assert.deepEqual([runtime().disk.size, (await backupsQueued()).length], [1, 1])
  await kill()
  boot()
  away()
  await clock.advance(600_000)
  assert.equal(runtime().disk.size, 1)
  runtime().before = () => undefined
  await clock.advance(3_600_000)
  assert.deepEqual([runtime().disk.size, (await backupsQueued()).length], [0, 0])
})

test('one that is damaged when it is read back is shown as an error, and none stands on it', async (t) => {
  const { boot, ask, read, clock, runtime } = await createBackupRig(t)
  boot()
  const { id } = await ask()
  await clock.advance(11_500)
  assert.deepEqual([(await read(id)).status, (await read(id)).verification.status], ['done', 'in_progress'])
  for (const files of runtime().disk.values()) files.damaged = true
  await clock.advance(8_000)
  const record = await read(id)
  assert.deepEqual([record.damaged, record.verification.status], [true, 'damaged'])
  const { status, reason } = viewBackup(record, clock.now())
  assert.deepEqual([status, reason], ['error', `it is damaged: ${id}/data.bin is not what was written`])
  const next = await ask()
  await clock.advance(20_000)
  assert.deepEqual([(await read(next.id)).type, (await read(next.id)).baseId], ['full', null])
})

test('one that cannot be read back is tried some times; then it says that it was not checked', async (t) => {
  const { boot, ask, read, clock, runtime, backupsQueued } = await createBackupRig(t)
  let reads = 0
  runtime().before = (call) => {
    if (call !== 'verify') return
    reads += 1
    throw new Error('the bucket does not answer')
  }
  boot()
  const { id } = await ask()
  const reason = 'it could not be read: the bucket does not answer'
  const told = async () => {
    const { status, verification } = await read(id)
    return [status, verification.status, verification.reason]
  }
  await clock.advance(20_000)
  assert.deepEqual(await told(), ['done', 'in_progress', reason])
  await clock.advance(300_000)
  assert.deepEqual(await told(), ['done', 'none', reason])
  assert.equal(reads, 5)
  assert.deepEqual(await backupsQueued(), [])
})

test('a base that was removed by hand: the backup on it fails, and the next one is full', async (t) => {
  const { boot, ask, read, clock, runtime } = await createBackupRig(t)
  boot({ atOnce: 1 })
  const base = await ask()
  await clock.advance(20_000)
  runtime().disk.delete(base.id)
  const lost = await ask()
  await clock.advance(3_000)
  assert.deepEqual([(await read(lost.id)).status, (await read(lost.id)).baseId], ['error', base.id])
  const next = await ask()
  await clock.advance(60_000)
  const damaged = await read(base.id)
  assert.deepEqual([damaged.status, damaged.damaged], ['done', true])
  assert.equal(damaged.verification.reason, `${base.id}/.backup is not there`)
  assert.deepEqual([(await read(next.id)).status, (await read(next.id)).type], ['done', 'full'])
})

test('a base that is fine is read back once, however often backups on it fail, and stays the base', async (t) => {
  const { boot, ask, read, clock, runtime } = await createBackupRig(t)
  boot()
  const base = await ask()
  await clock.advance(20_000)
  const reads: string[] = []
  runtime().before = (call, id) => void (call === 'verify' && reads.push(id))
  runtime().failure = 'no space is left on the disk'
  for (let n = 0; n < 3; n += 1) {
    const { id } = await ask()
    await clock.advance(60_000)
    assert.deepEqual([(await read(id)).status, (await read(id)).baseId], ['error', base.id])
  }
  assert.deepEqual(reads, [base.id, base.id], 'the beginning and the end of one check')
  assert.equal((await read(base.id)).verification.status, 'good')
})

test('a runtime that throws: the reason is shown and it is tried again, but not for ever', async (t) => {
  const { boot, ask, read, clock, runtime } = await createBackupRig(t)
  runtime().before = () => {
    throw new Error('the engine does not answer')
  }
  boot()
  const { id } = await ask()
  await clock.advance(3_500)
  assert.deepEqual(
    [(await read(id)).status, (await read(id)).reason],
    ['in_progress', 'the engine does not answer'],
  )
  runtime().before = () => undefined
  await clock.advance(30_000)
  assert.equal((await read(id)).status, 'done')
  runtime().before = () => {
    throw new Error('the engine does not answer')
  }
  const other = await ask()
  await clock.advance(3_600_000)
  assert.deepEqual(
    [(await read(other.id)).status, (await read(other.id)).finishedAtMs === null],
    ['error', false],
  )
  runtime().before = () => undefined
  await clock.advance(3_600_000)
  assert.equal((await read(other.id)).status, 'error', 'a backup that ended was taken up again')
  assert.deepEqual([...runtime().disk.keys()], [id])
})

test('what can never succeed is an error at once', async (t) => {
  const { boot, ask, read, clock, runtime } = await createBackupRig(t)
  runtime().before = (call) => {
    if (call === 'apply') throw new TerminalError('backups are not supported')
  }
  boot()
  const { id } = await ask()
  await clock.advance(2_000)
  assert.deepEqual([(await read(id)).status, (await read(id)).reason], ['error', 'backups are not supported'])
})

test('one that gets nowhere for an hour is ended', async (t) => {
  const { boot, ask, read, clock, runtime } = await createBackupRig(t)
  runtime().makeMs = Number.POSITIVE_INFINITY
  boot()
  const { id } = await ask()
  await clock.advance(3_500_000)
  assert.equal((await read(id)).status, 'in_progress')
  await clock.advance(300_000)
  assert.deepEqual(
    [(await read(id)).status, (await read(id)).reason],
    ['error', 'it got nowhere for an hour'],
  )
  assert.deepEqual(runtime().running(), [])
})

test('one that waits for the check of its base leaves that a slot', async (t) => {
  const { boot, ask, read, clock, store, runtime } = await createBackupRig(t)
  const atMs = clock.now() - 60_000
  const base = await ask({ status: 'done', finishedAtMs: atMs, startedAtMs: atMs })
  runtime().disk.set(base.id, { place: 'local', baseId: null, whole: true, damaged: false })
  const failed = { status: 'error' as const, startedAtMs: atMs + 1, finishedAtMs: atMs + 2 }
  await ask({ ...failed, type: 'incremental', baseId: base.id })
  const settled = await claimOne(store, 'backup', base.id)
  await store.work.settle(settled, { dueInMs: null, attempts: 0, reason: '', gone: true })
  const next = await ask()
  await clock.advance(1)
  const verification = { ...base.verification, status: 'in_progress' as const }
  await store.transaction((tx) => tx.backups.saveIntent({ ...base, verification }))
  // The waiting backup comes first.
  boot({ atOnce: 1 })
  await clock.advance(200)
  assert.equal((await read(next.id)).reason, 'the backup that it stands on is being read back first')
  await clock.advance(60_000)
  assert.deepEqual([(await read(next.id)).status, (await read(next.id)).baseId], ['done', base.id])
})
