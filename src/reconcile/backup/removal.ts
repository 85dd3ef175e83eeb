import type { BackupRecord } from '../../domain/backup/types.ts'
import type { ServiceRecord } from '../../domain/service/types.ts'
import type { BackupLocations, BackupRuntime } from '../../engine/backup.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Claim } from '../../lib/work-queue.ts'
import type { Store } from '../../store/store.ts'
import type { RunResult } from '../loop.ts'

interface RemovalParts {
  store: Store
  runtime: BackupRuntime
  locations: BackupLocations
  clock: Clock
}

const orderMs = 1_000
const retryMs = { first: 5_000, last: 60 * 60_000, expired: 10 * 60_000 }

/**
 * Removes the files of a backup that failed or is out of retention; in the second case its record is removed
 * after the files. Repeated until it succeeds, however long the place is unreachable.
 */
export async function removeFiles(
  { store, runtime, locations, clock }: RemovalParts,
  backup: BackupRecord,
  claim: Claim,
): Promise<RunResult> {
  const { id, removing } = backup
  if (removing && (await isStoodOn(store, backup)))
    return { reason: 'what stands on it is removed first', againAfterMs: orderMs }
  const place = await locations.resolve(backup.place)
  try {
    if (!removing) await runtime.cancel(id, backup.reason)
    // A place that no longer resolves is out of reach for good.
    if (place) await runtime.remove(id, place)
  } catch (error) {
    const ageMs = clock.now() - (backup.finishedAtMs ?? backup.startedAtMs)
    const failedMs = Math.min(retryMs.last, Math.max(retryMs.first, ageMs))
    const againAfterMs = removing ? retryMs.expired : failedMs
    return { reason: `its files cannot be removed yet: ${(error as Error).message}`, againAfterMs }
  }
  if (removing) {
    if (!(await store.backups.remove(id, claim)))
      return { reason: 'something newer is wanted', againAfterMs: 0 }
    // Removes the keys of a bucket that holds no more of our backups.
    await store.backupBuckets.removeUnused(backup.serviceId)
  }
  return { reason: 'its files are removed', gone: true }
}

async function isStoodOn(store: Store, { id, serviceId }: BackupRecord): Promise<boolean> {
  return (await store.backups.list(serviceId)).some((each) => each.removing && each.baseId === id)
}

/** Resolves with why the service cannot be removed yet; '' = none of its local backups is left. */
export type PurgeBackups = (service: ServiceRecord, claim: Claim) => Promise<string>

/** Local backups of a service are removed with its data. Backups in a user's own bucket stay. */
export function createBackupPurge({ store, runtime }: Pick<RemovalParts, 'store' | 'runtime'>): PurgeBackups {
  return async ({ id: serviceId }, claim) => {
    const running = await store.backups.running(serviceId)
    if (running) {
      await store.work.nudge('backup', running.id)
      return 'its backup is being ended'
    }
    const local = (await store.backups.list(serviceId)).filter(({ place }) => place === 'local')
    const inUse = await store.services.restoring(local.map(({ id }) => id))
    if (inUse.length > 0) return 'another service is being filled from its backup'
    for (const { id } of local) {
      await runtime.remove(id, { kind: 'local' })
      await store.backups.remove(id, claim)
    }
    return ''
  }
}
