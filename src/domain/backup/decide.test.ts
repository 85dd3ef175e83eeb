import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backupOf, serviceOf } from '../../../test/support/store-records.ts'
import { type BackupJobState, type BackupSituation, decideBackup, stallMs } from './decide.ts'
import type { BackupRecord } from './types.ts'

const service = { deleting: false, provisioned: true }
const fresh = backupOf(serviceOf('o'), { startedAtMs: 0 })
const begun: BackupRecord = { ...fresh, attempts: 1 }
const made: BackupRecord = {
  ...begun,
  status: 'done',
  finishedAtMs: 5,
  verification: { status: 'in_progress', checkedAtMs: null, reason: '' },
}
const running: BackupJobState = {
  state: 'running',
  progress: { bytes: 500_000, totalBytes: 1_000_000, files: 1, totalFiles: 2 },
}
const done: BackupJobState = { state: 'done', sizeInBytes: 9, files: 2 }

function decide(backup: BackupRecord, over: Partial<BackupSituation> = {}) {
  const usual = { hasEngine: true, hasSlot: true, hasLocation: true, stalledMs: 0, nowMs: 1_000 }
  return decideBackup({ backup, service, observed: { state: 'absent' }, ...usual, ...over })
}

/** The action, the next status, and the reason. */
const told = (...given: Parameters<typeof decide>) => {
  const { action, reason, next } = decide(...given)
  return `${action} ${next.status}/${next.verification.status}: ${reason}`
}

test('a backup is begun, followed and done, and then read back', () => {
  assert.match(told(fresh), /^make in_progress\/none/)
  const reason = 'backing up: 50 % (500 kB of 1.0 MB)'
  assert.equal(told(begun, { observed: running }), `wait in_progress/none: ${reason}`)
  const followed = decide(begun, { observed: running })
  assert.deepEqual([followed.next.sizeInBytes, followed.againAfterMs], [500_000, 200])
  assert.equal(decide(begun, { observed: running, nowMs: 20_000 }).againAfterMs, 1_000)
  assert.equal(told(begun, { observed: done }), 'finish done/in_progress: ')
  assert.equal(told(made), 'verify done/in_progress: it is being read back')
  assert.equal(
    told(made, { observed: running }),
    'wait done/in_progress: reading it back: 50 % (500 kB of 1.0 MB)',
  )
  assert.equal(told(made, { observed: done }), 'finish done/good: ')
  const good = { ...made, verification: { status: 'good' as const, checkedAtMs: 1, reason: '' } }
  assert.equal(told(good), 'none done/good: nothing is left to do')
})

test('a backup that cannot be made ends with why; only what the engine says casts doubt on its base', () => {
  const failed = { state: 'failed', reason: 'the disk is full' } as const
  const cases: [BackupRecord, Partial<BackupSituation>, string][] = [
    [fresh, { service: null }, 'the service was deleted'],
    [begun, { service: { ...service, deleting: true }, observed: running }, 'the service was deleted'],
    [fresh, { service: { ...service, provisioned: false } }, 'the service has no data yet: it never ran'],
    [fresh, { hasEngine: false }, 'no warehouse engine runs here, so nothing can be backed up or read back'],
    [begun, { observed: running, stalledMs: stallMs + 1 }, 'it got nowhere for an hour'],
    [begun, { observed: failed }, 'the disk is full'],
    [{ ...begun, attempts: 2 }, {}, 'it was interrupted twice: what made it ended in the middle'],
  ]
  for (const [backup, over, reason] of cases) {
    const decision = decide(backup, over)
    assert.equal(told(backup, over), `finish error/none: ${reason}`)
    assert.deepEqual([decision.next.finishedAtMs, decision.next.reason], [1_000, reason])
    assert.equal(decision.suspectsBase, over.observed === failed ? true : undefined, reason)
  }
  assert.equal(decide(begun, { observed: running, stalledMs: stallMs }).action, 'wait')
  for (const over of [{ service: null }, { observed: running, stalledMs: stallMs + 1 }])
    assert.equal(decide(begun, over).endsJob, true)
  assert.equal(decide({ ...begun, status: 'error' }).action, 'clean')
})

test('while others are worked on it waits, and one that is made says so', () => {
  const over = { hasSlot: false }
  assert.equal(told(fresh, over), 'wait in_progress/none: it waits for other backups to end')
  assert.equal(decide(fresh, over).next.reason, 'it waits for other backups to end')
  assert.deepEqual(decide(made, over).next, made)
})

test('what cannot be read is tried five times at growing distances; what was known before stays', () => {
  const waits: (number | undefined)[] = []
  let backup: BackupRecord = { ...made, verification: { ...made.verification, checkedAtMs: 3 } }
  const observed = { state: 'failed', reason: 'away' } as const
  for (let reads = 1; reads < 5; reads += 1) {
    const { action, next, againAfterMs, endsJob } = decide(backup, { observed })
    assert.deepEqual([action, endsJob, next.verification.failures], ['wait', true, reads])
    waits.push(againAfterMs)
    backup = decide(next, { observed: running }).next
  }
  assert.deepEqual(waits, [5_000, 10_000, 20_000, 40_000])
  const { next } = decide(backup, { observed })
  assert.deepEqual(next.verification, {
    status: 'good',
    checkedAtMs: 3,
    reason: 'it could not be read: away',
  })
  const stalled = decide(made, { observed: running, stalledMs: stallMs + 1 })
  assert.deepEqual([stalled.reason, stalled.endsJob], ['reading it back got nowhere for an hour', true])
  assert.equal(told(made, { hasLocation: false }), 'finish done/none: its bucket is not known any more')
})

test('damage is told with its file and casts doubt on what the backup stands on', () => {
  const reason = 'data.bin is missing'
  const { next, suspectsBase } = decide(made, { observed: { state: 'damaged', reason } })
  assert.deepEqual([next.damaged, suspectsBase], [true, true])
  assert.deepEqual(next.verification, { status: 'damaged', checkedAtMs: 1_000, reason })
  assert.equal(decide(next, { observed: done }).action, 'none')
})
