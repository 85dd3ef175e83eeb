import { describeProgress } from './progress.ts'
import type { BackupRecord } from './types.ts'

type Progress = BackupRecord['progress']

/** The state of a job that makes a backup or reads one back. */
export type BackupJobState =
  | { state: 'running'; progress: Progress }
  /** The backup is made, or was read back and is undamaged. */
  | { state: 'done'; sizeInBytes: number; files: number }
  /** The backup was read back and differs from what was written. */
  | { state: 'damaged'; reason: string }
  | { state: 'failed'; reason: string }
  | { state: 'absent' }

export interface BackupSituation {
  backup: BackupRecord
  /** null = the service is gone. */
  service: { deleting: boolean; provisioned: boolean } | null
  hasEngine: boolean
  /** False = the maximum number of backups is being worked on already. */
  hasSlot: boolean
  /** False = the bucket is no longer on record. */
  hasLocation: boolean
  /** State of the job that the record asks for. */
  observed: BackupJobState
  /** Time since the job last made progress. */
  stalledMs: number
  nowMs: number
}

/**
 * `make` plans and starts the backup, `verify` starts to read it back, `wait` looks again later, `finish`
 * writes a final state and an entry in the audit trail, `clean` removes files, `none` means that nothing is
 * left to do.
 */
export interface BackupDecision {
  action: 'none' | 'wait' | 'make' | 'verify' | 'finish' | 'clean'
  reason: string
  /** The record after this decision. */
  next: BackupRecord
  /** Only with `wait`. */
  againAfterMs?: number
  /** The job that runs, or has failed, is ended first. */
  endsJob?: true
  /** The base of the backup may be the damaged one, so it is read back too. */
  suspectsBase?: true
}

/** A job that ended with its process is started once more; then the backup fails, and the schedule retries. */
const maxAttempts = 2
const maxReads = 5
const busyMs = 5_000
const readAgainMs = 5_000
const readPollMs = 200
export const stallMs = 60 * 60_000

export function decideBackup(situation: BackupSituation): BackupDecision {
  const { backup } = situation
  if (backup.status === 'error') return { action: 'clean', reason: backup.reason, next: backup }
  if (backup.status === 'in_progress') return decideMaking(situation)
  if (backup.verification.status === 'in_progress') return decideVerification(situation)
  return { action: 'none', reason: 'nothing is left to do', next: backup }
}

function decideMaking(situation: BackupSituation): BackupDecision {
  const { backup, service, observed, nowMs } = situation
  const fail = (reason: string): BackupDecision => ({
    action: 'finish',
    reason,
    next: failedBackup(backup, reason, nowMs),
  })
  if (!situation.hasEngine) return fail(noEngine)
  if (!service || service.deleting) return { ...fail('the service was deleted'), endsJob: true }
  if (!service.provisioned) return fail('the service has no data yet: it never ran')
  if (!situation.hasSlot) return wait({ ...backup, reason: waitsText }, waitsText, busyMs)
  switch (observed.state) {
    case 'running': {
      if (situation.stalledMs > stallMs) return { ...fail('it got nowhere for an hour'), endsJob: true }
      const { progress } = observed
      const reason = describeProgress('backing up', progress)
      const next = { ...backup, progress: { ...progress }, sizeInBytes: progress.bytes, reason }
      return wait(next, reason, makingPollMs(backup, nowMs))
    }
    case 'done': {
      const next: BackupRecord = {
        ...backup,
        ...{ status: 'done', finishedAtMs: nowMs, reason: '', sizeInBytes: observed.sizeInBytes },
        progress: whole(observed),
        verification: { status: 'in_progress', checkedAtMs: null, reason: '' },
      }
      return { action: 'finish', reason: '', next }
    }
    case 'absent':
      if ((backup.attempts ?? 0) >= maxAttempts)
        return fail('it was interrupted twice: what made it ended in the middle')
      return { action: 'make', reason: backup.reason, next: backup }
    default:
      return { ...fail(observed.reason), suspectsBase: true }
  }
}

function decideVerification(situation: BackupSituation): BackupDecision {
  const { backup, observed, nowMs } = situation
  const giveUp = (reason: string): BackupDecision => ({
    action: 'finish',
    reason,
    next: uncheckedBackup(backup, reason),
  })
  if (!situation.hasEngine) return giveUp(noEngine)
  if (!situation.hasSlot) return wait(backup, waitsText, readAgainMs)
  if (!situation.hasLocation) return giveUp('its bucket is not known any more')
  switch (observed.state) {
    case 'absent':
      return { action: 'verify', reason: 'it is being read back', next: backup }
    case 'running': {
      if (situation.stalledMs > stallMs) return readFailed('reading it back got nowhere for an hour')
      const reason = describeProgress('reading it back', observed.progress)
      const next = { ...backup, progress: { ...observed.progress }, ...verifying(backup, { reason }) }
      return wait(next, reason, readPollMs)
    }
    case 'failed':
      return readFailed(`it could not be read: ${observed.reason}`)
    case 'done': {
      const verification = { status: 'good' as const, checkedAtMs: nowMs, reason: '' }
      const next = { ...backup, damaged: false, progress: whole(observed), verification }
      return { action: 'finish', reason: '', next }
    }
    case 'damaged': {
      const { reason } = observed
      const verification = { status: 'damaged' as const, checkedAtMs: nowMs, reason }
      // The damaged file may belong to a base of this backup.
      const next = { ...backup, damaged: true, verification }
      return { action: 'finish', reason, next, suspectsBase: true }
    }
  }

  /** A backup that cannot be read at the moment is retried, not called damaged. */
  function readFailed(reason: string): BackupDecision {
    const failures = (backup.verification.failures ?? 0) + 1
    if (failures >= maxReads) return giveUp(reason)
    const next = { ...backup, ...verifying(backup, { reason, failures }) }
    return { ...wait(next, reason, readAgainMs * 2 ** (failures - 1)), endsJob: true }
  }
}

/** The final record of a backup that cannot be made. */
export function failedBackup(backup: BackupRecord, reason: string, nowMs: number): BackupRecord {
  return { ...backup, status: 'error', finishedAtMs: nowMs, reason }
}

/** The record after a verification that could not read the backup: the result of the last one still holds. */
export function uncheckedBackup(backup: BackupRecord, reason: string): BackupRecord {
  const { checkedAtMs } = backup.verification
  const status = backup.damaged ? 'damaged' : checkedAtMs === null ? 'none' : 'good'
  return { ...backup, verification: { status, checkedAtMs, reason } }
}

export const noEngine = 'no warehouse engine runs here, so nothing can be backed up or read back'
const waitsText = 'it waits for other backups to end'

const wait = (next: BackupRecord, reason: string, againAfterMs: number): BackupDecision => ({
  action: 'wait',
  reason,
  next,
  againAfterMs,
})

const verifying = ({ verification }: BackupRecord, change: { reason: string; failures?: number }) => ({
  verification: { ...verification, ...change },
})

/** Progress of a job that has written, or read, everything. */
const whole = ({ files, sizeInBytes }: { files: number; sizeInBytes: number }): Progress => ({
  ...{ bytes: sizeInBytes, totalBytes: sizeInBytes },
  ...{ files, totalFiles: files },
})

/**
 * Polling only updates the progress that is shown (often at first); the end of a job is reported without it.
 */
export function makingPollMs({ startedAtMs }: BackupRecord, nowMs: number): number {
  return Math.round(Math.min(5_000, Math.max(200, (nowMs - startedAtMs) / 20)))
}
