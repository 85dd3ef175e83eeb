import type { BackupRecord } from '../../domain/backup/types.ts'
import { isElsewhere } from '../../domain/service/holder.ts'
import type { BackupLocations, BackupRuntime } from '../../engine/backup.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Claim } from '../../lib/work-queue.ts'
import type { Repositories, Store } from '../../store/store.ts'
import type { Loop, RunResult } from '../loop.ts'
import { takeStep } from '../trail.ts'
import { createBackupCheck, unchecked } from './check.ts'
import { createBackupChecks } from './checks.ts'
import { createBackupMaking, failedWith } from './making.ts'
import { removeFiles } from './removal.ts'
import { createSlots } from './slots.ts'

export interface BackupLoopParts {
  store: Store
  /** null = nothing can be backed up here. */
  runtime: BackupRuntime | null
  locations: BackupLocations
  clock: Clock
  /** The name of this data plane; '' = any may back up any service. */
  home?: string
  /** How many are made or read back at once. */
  atOnce?: number
  /** One was made, or could not be. */
  ended?(status: 'done' | 'error'): void
}

export interface BackupLoop extends Loop {
  /** Ends what is read back in this process; it is begun anew at the next start. */
  close(): Promise<void>
}

const elsewhereMs = 5_000
/** Without an engine nothing can be removed; with the next start there may be one. */
const noRuntimeMs = 60 * 60_000
/** Runs that fail in a row before a backup is given up: about ten minutes. */
const givenUpAfter = 10

/**
 * Makes backups, reads them back, and removes files that nobody needs. A record is `in_progress` until the engine has
 * made the backup whole; then it is `done`, and read back at once. One that cannot be made ends as `error` with its
 * reason, and stays in the queue until its files are gone: the queue is durable, so that no crash leaves them for ever.
 */
export function createBackupLoop(parts: BackupLoopParts): BackupLoop {
  const { store, runtime, locations, clock, home = '', atOnce = 4 } = parts
  const checks = runtime && createBackupChecks({ runtime, clock })
  const slots = createSlots(clock, atOnce)
  const shared = { store, locations, clock, slots, save, finish }
  const making = runtime && createBackupMaking({ ...shared, runtime })
  const checking = checks && createBackupCheck({ ...shared, checks })

  return {
    kind: 'backup',
    async reconcile(id, { claim }) {
      const backup = await store.backups.find(id)
      if (!backup) return { reason: 'nothing is left to do', gone: true }
      const service = await store.services.find(backup.serviceId)
      if (isElsewhere(service, home))
        return { reason: 'another machine holds the data', againAfterMs: elsewhereMs }
      if (backup.status === 'error') return clean(backup, claim)
      if (backup.status === 'in_progress') {
        if (making) return making(backup, service, claim)
        return finish(backup, failedWith(backup, noEngine, clock.now()), claim)
      }
      if (backup.verification.status !== 'in_progress') return { reason: 'nothing is left to do', gone: true }
      if (checking) return checking(backup, claim)
      return finish(backup, unchecked(backup, noEngine), claim)
    },
    async failed(id, { claim }, { reason, terminal, attempts }) {
      const backup = await store.backups.find(id)
      if (!backup || backup.status === 'error') return
      const isOver = terminal || attempts >= givenUpAfter
      if (backup.status === 'in_progress') {
        if (isOver) await finish(backup, failedWith(backup, reason, clock.now()), claim)
        else await save({ ...backup, reason }, claim)
      } else if (isOver) await finish(backup, unchecked(backup, reason), claim)
    },
    close: async () => checks?.close(),
  }

  async function clean(backup: BackupRecord, claim: Claim): Promise<RunResult> {
    slots.free(backup.id)
    checks?.forget(backup.id)
    if (!backup.removing && backup.attempts === undefined) return { reason: 'it never began', gone: true }
    if (!runtime) return { reason: noEngine, againAfterMs: noRuntimeMs }
    return removeFiles({ store, runtime, locations, clock }, backup, claim)
  }

  /** Progress. False = a newer intent came, or the claim is no longer ours. */
  function save(backup: BackupRecord, claim: Claim): Promise<boolean> {
    return store.backups.save(backup, claim)
  }

  /** An end, told to the trail. `also` is written with it or not at all. */
  async function finish(
    backup: BackupRecord,
    next: BackupRecord,
    claim: Claim,
    also: (tx: Repositories) => Promise<void> = async () => {},
  ): Promise<RunResult> {
    const { id, organizationId, serviceId } = backup
    const step = {
      type: 'backup_state' as const,
      organizationId,
      serviceId,
      resourceId: id,
      before: stateOf(backup),
      after: stateOf(next),
      reason: next.reason || next.verification.reason,
    }
    let written = false
    await takeStep({ store, clock }, step, async (tx) => {
      written = await tx.backups.save(next, claim)
      if (written) await also(tx)
      return written
    })
    slots.free(id)
    checks?.forget(id)
    if (written && backup.status === 'in_progress' && next.status !== 'in_progress')
      parts.ended?.(next.status)
    const isOver = next.status === 'done' && next.verification.status !== 'in_progress'
    return isOver ? { reason: step.reason, gone: true } : { reason: step.reason, againAfterMs: 0 }
  }
}

const noEngine = 'no warehouse engine runs here, so nothing can be backed up or read back'

const stateOf = ({ status, damaged }: BackupRecord) => (status === 'done' && damaged ? 'damaged' : status)
