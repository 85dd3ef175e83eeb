import { planBackup } from '../../domain/backup/chain.ts'
import { describeProgress } from '../../domain/backup/progress.ts'
import type { BackupRecord } from '../../domain/backup/types.ts'
import type { ServiceRecord } from '../../domain/service/types.ts'
import type {
  BackupLocation,
  BackupLocations,
  BackupObservation,
  BackupProgress,
  BackupRuntime,
} from '../../engine/backup.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Claim } from '../../lib/work-queue.ts'
import type { Repositories, Store } from '../../store/store.ts'
import type { RunResult } from '../loop.ts'
import { stallMs } from './checks.ts'
import type { Slots } from './slots.ts'

export interface MakingParts {
  store: Store
  runtime: BackupRuntime
  locations: BackupLocations
  clock: Clock
  slots: Slots
  save(backup: BackupRecord, claim: Claim): Promise<boolean>
  finish(
    backup: BackupRecord,
    next: BackupRecord,
    claim: Claim,
    also?: (tx: Repositories) => Promise<void>,
  ): Promise<RunResult>
}

type Make = (backup: BackupRecord, service: ServiceRecord | null, claim: Claim) => Promise<RunResult>

/** What was cut off with its process is begun anew once. Twice, something is wrong: the schedule tries later. */
const maxAttempts = 2
const busyMs = 5_000
const baseCheckMs = 2_000

/**
 * Brings a backup that is in progress one step on: it begins, and is observed until it is made. What it is (full
 * or not, and where it goes) is written down before it begins: whoever comes after a crash goes on from there.
 * Once made it is done, and asked to be read back.
 */
export function createBackupMaking(parts: MakingParts): Make {
  const { store, runtime, locations, clock, slots, save, finish } = parts
  /** When each was last seen to get on. */
  const moved = new Map<string, { text: string; atMs: number }>()

  return async (backup, service, claim) => {
    const { id } = backup
    if (!service || service.spec.deleting) {
      await runtime.cancel(id, deleted)
      return fail(backup, deleted, claim)
    }
    if (!service.status.provisioned) return fail(backup, 'the service has no data yet: it never ran', claim)
    if (!slots.take(id)) {
      const reason = 'it waits for other backups to end'
      if (backup.reason !== reason) await save({ ...backup, reason }, claim)
      return { reason, againAfterMs: busyMs }
    }
    const attempts = backup.attempts ?? 0
    const observed: BackupObservation = attempts === 0 ? { state: 'absent' } : await runtime.observe(id)
    switch (observed.state) {
      case 'running':
        return goOn(backup, observed.progress, claim)
      case 'failed':
        return fail(backup, observed.reason, claim, 'the base too')
      case 'done':
        return made(backup, observed, claim)
      case 'absent':
        if (attempts >= maxAttempts)
          return fail(backup, 'it was interrupted twice: what made it ended in the middle', claim)
        return begin(backup, service, claim)
    }
  }

  async function begin(backup: BackupRecord, service: ServiceRecord, claim: Claim): Promise<RunResult> {
    const attempts = backup.attempts ?? 0
    const others = (await store.backups.list(service.id)).filter(({ removing }) => !removing)
    // Half of it may lie where it first began.
    const place = backup.attempts === undefined ? await locations.current(service.id) : backup.place
    const plan = planBackup({ backups: others, place })
    const baseId = plan.type === 'incremental' ? plan.baseId : null
    if (isDoubtful(baseId, others)) return waitForCheck(backup, claim)
    const reason = `the ${plan.type} backup is starting: ${plan.reason}`
    const planned = { ...backup, type: plan.type, baseId, place, attempts: attempts + 1, reason }
    if (!(await save(planned, claim))) return overtaken
    // Only now: a place that a backup on record goes to is not forgotten.
    const resolved = await locations.resolve(place)
    if (!resolved) return fail(planned, 'the bucket for backups was removed', claim)
    const location = locationOf(resolved, backup.id)
    const shown = { ...planned, ...location }
    if (location.bucket && !(await save(shown, claim))) return overtaken
    const { id: serviceId, warehouseId } = service
    try {
      await runtime.apply({
        backupId: backup.id,
        place: resolved,
        ref: { serviceId, warehouseId },
        baseId,
      })
    } catch (error) {
      // It did not begin, so it was not interrupted either; how often that is tried, the driver counts.
      await save({ ...shown, attempts }, claim)
      throw error
    }
    moved.delete(backup.id)
    return { reason, againAfterMs: pollMs(backup) }
  }

  async function waitForCheck(backup: BackupRecord, claim: Claim): Promise<RunResult> {
    // The check needs a slot too.
    slots.free(backup.id)
    const reason = 'the backup that it stands on is being read back first'
    if (backup.reason !== reason) await save({ ...backup, reason }, claim)
    return { reason, againAfterMs: baseCheckMs }
  }

  async function goOn(backup: BackupRecord, progress: BackupProgress, claim: Claim): Promise<RunResult> {
    const { id } = backup
    const text = `${progress.bytes} ${progress.files}`
    const last = moved.get(id)
    if (last?.text !== text) moved.set(id, { text, atMs: clock.now() })
    else if (clock.now() - last.atMs > stallMs) {
      await runtime.cancel(id, stalled)
      return fail(backup, stalled, claim)
    }
    const reason = describeProgress('backing up', progress)
    if (reason !== backup.reason) {
      await save({ ...backup, progress: { ...progress }, sizeInBytes: progress.bytes, reason }, claim)
    }
    return { reason, againAfterMs: pollMs(backup) }
  }

  function made(
    backup: BackupRecord,
    { sizeInBytes, files }: { sizeInBytes: number; files: number },
    claim: Claim,
  ): Promise<RunResult> {
    moved.delete(backup.id)
    const done: BackupRecord = {
      ...backup,
      ...{ status: 'done', finishedAtMs: clock.now(), reason: '', sizeInBytes },
      progress: wholeOf({ files, bytes: sizeInBytes }),
      verification: { status: 'in_progress', checkedAtMs: null, reason: '' },
    }
    return finish(backup, done, claim)
  }

  /** The base may be to blame; then the next one must not stand on it. */
  function fail(
    backup: BackupRecord,
    reason: string,
    claim: Claim,
    check?: 'the base too',
  ): Promise<RunResult> {
    moved.delete(backup.id)
    return finish(backup, failedWith(backup, reason, clock.now()), claim, async (tx) => {
      if (check) await askForCheck(tx, backup)
    })
  }

  /** For the progress that is shown: its end is told. */
  function pollMs({ startedAtMs }: BackupRecord): number {
    return Math.round(Math.min(5_000, Math.max(200, (clock.now() - startedAtMs) / 20)))
  }
}

/** All of it was written, or read. */
export function wholeOf({ files, bytes }: { files: number; bytes: number }): BackupProgress {
  return { bytes, totalBytes: bytes, files, totalFiles: files }
}

/** The backup as it ends when it cannot be made. */
export function failedWith(backup: BackupRecord, reason: string, nowMs: number): BackupRecord {
  return { ...backup, status: 'error', finishedAtMs: nowMs, reason }
}

const deleted = 'the service was deleted'
const stalled = 'it got nowhere for an hour'
const overtaken: RunResult = { reason: 'something newer is wanted', againAfterMs: 0 }

/** A backup that stood on it failed, and whether it is to blame is not known yet. */
function isDoubtful(baseId: string | null, others: readonly BackupRecord[]): boolean {
  if (baseId === null || !others.some((each) => each.status === 'error' && each.baseId === baseId))
    return false
  return others.find(({ id }) => id === baseId)?.verification.status === 'in_progress'
}

/** Has the base of a failed backup read back, unless that was done since backups on it began to fail. */
export async function askForCheck(tx: Repositories, { id, baseId, serviceId }: BackupRecord): Promise<void> {
  const base = baseId === null ? null : await tx.backups.find(baseId)
  if (base?.status !== 'done' || base.damaged || base.verification.status === 'in_progress') return
  const failures = (await tx.backups.list(serviceId)).filter(
    (each) => each.id !== id && each.baseId === baseId && (each.status === 'error' || each.damaged),
  )
  const sinceMs = Math.min(...failures.map((each) => each.finishedAtMs ?? each.startedAtMs))
  if (failures.length > 0 && (base.verification.checkedAtMs ?? 0) > sinceMs) return
  const verification = { ...base.verification, status: 'in_progress' as const, reason: '' }
  await tx.backups.saveIntent({ ...base, verification })
}

/** What the interface shows of a backup in a bucket of the user's own. */
function locationOf(place: BackupLocation, backupId: string): Partial<BackupRecord> {
  if (place.kind === 'local') return {}
  const { url, roleArn, roleSessionName } = place
  return {
    backupName: backupId,
    bucket: { bucketPath: url, iamRoleArn: roleArn, iamRoleSessionName: roleSessionName },
  }
}
