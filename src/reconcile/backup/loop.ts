import { decideBackup, failedBackup, noEngine, uncheckedBackup } from '../../domain/backup/decide.ts'
import { isSuspect } from '../../domain/backup/suspicion.ts'
import type { BackupRecord } from '../../domain/backup/types.ts'
import { isElsewhere } from '../../domain/service/holder.ts'
import type { ServiceRecord } from '../../domain/service/types.ts'
import type { BackupLocation, BackupLocations, BackupRuntime } from '../../engine/backup.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Claim } from '../../lib/work-queue.ts'
import type { Repositories, Store } from '../../store/store.ts'
import { writeWithActivity } from '../audit.ts'
import type { Loop, RunResult } from '../loop.ts'
import { beginBackup } from './begin.ts'
import { removeFiles } from './removal.ts'
import { createSlots } from './slots.ts'
import { createStalls } from './stalls.ts'

export interface BackupLoopParts {
  store: Store
  /** null = there is no engine here, so no backups can be made. */
  runtime: BackupRuntime | null
  locations: BackupLocations
  clock: Clock
  /** The name of this data plane; '' = any may back up any service. */
  dataPlaneId?: string
  /** How many backups are made at once, and how many are read back. */
  atOnce?: number
  /** Called when a backup was made or has failed. */
  ended?(status: 'done' | 'error'): void
}

const elsewhereMs = 5_000
/** Without an engine no files can be removed; after the next restart there may be an engine. */
const noRuntimeMs = 60 * 60_000
const verifyPollMs = 200
/** Runs that fail in a row before a backup is given up: about ten minutes. */
const givenUpAfter = 10
const overtaken: RunResult = { reason: 'something newer is wanted', againAfterMs: 0 }

/**
 * Makes backups, reads them back, and removes files that are no longer needed. A record is `in_progress` until
 * the engine has made the whole backup; then the record is `done`, and the backup is read back at once. A backup
 * that cannot be made ends as `error` with its reason, and stays in the durable queue until its files are gone,
 * so that no crash leaves files behind.
 */
export function createBackupLoop(parts: BackupLoopParts): Loop {
  const { store, runtime, locations, clock, dataPlaneId = '', atOnce = 4 } = parts
  // Nobody who wants a backup waits for one that is read back.
  const slots = { making: createSlots(clock, atOnce), reading: createSlots(clock, atOnce) }
  const stalls = createStalls(clock)

  return {
    kind: 'backup',
    async reconcile(id, { claim }) {
      const backup = await store.backups.find(id)
      if (!backup) return { reason: 'nothing is left to do', gone: true }
      const service = await store.services.find(backup.serviceId)
      if (isElsewhere(service, dataPlaneId))
        return { reason: 'another machine holds the data', againAfterMs: elsewhereMs }
      const location = isVerifying(backup) ? await locations.resolve(backup.place) : null
      const decision = await decide(backup, service, location)
      const { action, next, reason, againAfterMs = 0 } = decision
      if (decision.endsJob) await endJob(backup, reason)
      switch (action) {
        case 'none':
          freeSlots(id)
          return { reason, gone: true }
        case 'clean':
          return clean(backup, claim)
        case 'finish':
          return finish(backup, next, claim, decision.suspectsBase)
        case 'wait':
          if (isShownAnew(backup, next)) await store.backups.save(next, claim)
          return { reason, againAfterMs }
      }
      if (!runtime || !service) return { reason, againAfterMs }
      if (action === 'verify') {
        if (location) await runtime.verify({ backupId: id, place: location })
        return { reason, againAfterMs: verifyPollMs }
      }
      const making = { store, runtime, locations, clock, slots: slots.making }
      const begun = await beginBackup(making, backup, service, claim)
      if (begun === 'overtaken') return overtaken
      return 'failed' in begun
        ? finish(begun.backup, failedBackup(begun.backup, begun.failed, clock.now()), claim)
        : begun
    },
    async failed(id, { claim }, { reason, terminal, attempts }) {
      const backup = await store.backups.find(id)
      if (!backup || backup.status === 'error') return
      const isOver = terminal || attempts >= givenUpAfter
      if (backup.status === 'in_progress') {
        if (isOver) await finish(backup, failedBackup(backup, reason, clock.now()), claim)
        else await store.backups.save({ ...backup, reason }, claim)
      } else if (isOver) await finish(backup, uncheckedBackup(backup, reason), claim)
    },
  }

  async function decide(
    backup: BackupRecord,
    service: ServiceRecord | null,
    location: BackupLocation | null,
  ) {
    const { id } = backup
    const hasBegun = isVerifying(backup) || (backup.status === 'in_progress' && (backup.attempts ?? 0) > 0)
    const job = isVerifying(backup) ? 'verify' : 'make'
    const observed = runtime && hasBegun ? await runtime.observe(id, job) : { state: 'absent' as const }
    return decideBackup({
      backup,
      service: service && { deleting: service.spec.deleting, provisioned: service.status.provisioned },
      hasEngine: runtime !== null,
      hasSlot: backup.status !== 'error' && (isVerifying(backup) ? slots.reading : slots.making).take(id),
      hasLocation: location !== null,
      observed,
      stalledMs: stalls.lookedAt(id, observed),
      nowMs: clock.now(),
    })
  }

  async function clean(backup: BackupRecord, claim: Claim): Promise<RunResult> {
    forget(backup.id)
    if (!backup.removing && backup.attempts === undefined) return { reason: 'it never began', gone: true }
    if (!runtime) return { reason: noEngine, againAfterMs: noRuntimeMs }
    return removeFiles({ store, runtime, locations, clock }, backup, claim)
  }

  async function endJob(backup: BackupRecord, reason: string): Promise<void> {
    stalls.forget(backup.id)
    if (isVerifying(backup)) runtime?.forgetVerification(backup.id)
    else await runtime?.cancel(backup.id, reason)
  }

  function freeSlots(backupId: string): void {
    slots.making.free(backupId)
    slots.reading.free(backupId)
  }

  function forget(backupId: string): void {
    freeSlots(backupId)
    stalls.forget(backupId)
    runtime?.forgetVerification(backupId)
  }

  /** Writes the end of a backup or of its verification, and records it in the audit trail. */
  async function finish(
    backup: BackupRecord,
    next: BackupRecord,
    claim: Claim,
    suspectsBase = false,
  ): Promise<RunResult> {
    const { id, organizationId, serviceId } = backup
    const change = {
      type: 'backup_state' as const,
      organizationId,
      serviceId,
      resourceId: id,
      before: stateOf(backup),
      after: stateOf(next),
      reason: next.reason || next.verification.reason,
    }
    let written = false
    await writeWithActivity({ store, clock }, change, async (tx) => {
      written = await tx.backups.save(next, claim)
      if (written && suspectsBase) await checkBase(tx, backup)
      return written
    })
    forget(id)
    if (written && backup.status === 'in_progress' && next.status !== 'in_progress')
      parts.ended?.(next.status)
    const isOver = next.status === 'done' && next.verification.status !== 'in_progress'
    return isOver ? { reason: change.reason, gone: true } : { reason: change.reason, againAfterMs: 0 }
  }
}

/** Has the base of a failed backup read back, if it is suspect. */
async function checkBase(tx: Repositories, { id, baseId, serviceId }: BackupRecord): Promise<void> {
  const base = baseId === null ? null : await tx.backups.find(baseId)
  if (!base || !isSuspect(base, id, await tx.backups.list(serviceId))) return
  const verification = { ...base.verification, status: 'in_progress' as const, reason: '' }
  await tx.backups.saveIntent({ ...base, verification })
}

const isVerifying = ({ status, verification }: BackupRecord) =>
  status === 'done' && verification.status === 'in_progress'

/** Progress is saved only when its text changes. */
const isShownAnew = (before: BackupRecord, next: BackupRecord) =>
  before.reason !== next.reason ||
  before.verification.reason !== next.verification.reason ||
  before.verification.failures !== next.verification.failures

const stateOf = ({ status, damaged }: BackupRecord) => (status === 'done' && damaged ? 'damaged' : status)
