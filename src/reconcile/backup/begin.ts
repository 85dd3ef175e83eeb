import { planBackup } from '../../domain/backup/chain.ts'
import { makingPollMs } from '../../domain/backup/decide.ts'
import { isDoubtful } from '../../domain/backup/suspicion.ts'
import type { BackupRecord } from '../../domain/backup/types.ts'
import type { ServiceRecord } from '../../domain/service/types.ts'
import type { BackupLocation, BackupLocations, BackupRuntime } from '../../engine/backup.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Claim } from '../../lib/work-queue.ts'
import type { Store } from '../../store/store.ts'
import type { RunResult } from '../loop.ts'
import type { Slots } from './slots.ts'

interface BeginParts {
  store: Store
  runtime: BackupRuntime
  locations: BackupLocations
  clock: Clock
  slots: Slots
}

const baseCheckMs = 2_000

/**
 * Begins a backup. Its plan (full or incremental, and its place) is saved before the backup begins, so that a run
 * after a crash continues with the same plan. `overtaken` = a newer intent came, or the claim is no longer ours.
 */
export async function beginBackup(
  { store, runtime, locations, clock, slots }: BeginParts,
  backup: BackupRecord,
  { id: serviceId, warehouseId }: ServiceRecord,
  claim: Claim,
): Promise<RunResult | 'overtaken' | { failed: string; backup: BackupRecord }> {
  const save = (next: BackupRecord) => store.backups.save(next, claim)
  const attempts = backup.attempts ?? 0
  const others = (await store.backups.list(serviceId)).filter(({ removing }) => !removing)
  // An interrupted backup keeps its place: part of its files may be there.
  const place = backup.attempts === undefined ? await locations.current(serviceId) : backup.place
  const plan = planBackup({ backups: others, place })
  const baseId = plan.type === 'incremental' ? plan.baseId : null
  if (isDoubtful(baseId, others)) {
    // Others can be made meanwhile.
    slots.free(backup.id)
    const reason = 'the backup that it stands on is being read back first'
    if (backup.reason !== reason) await save({ ...backup, reason })
    return { reason, againAfterMs: baseCheckMs }
  }
  const reason = `the ${plan.type} backup is starting: ${plan.reason}`
  const planned = { ...backup, type: plan.type, baseId, place, attempts: attempts + 1, reason }
  if (!(await save(planned))) return 'overtaken'
  // Resolved only after the save: the keys of a location are kept while a saved backup refers to it.
  const location = await locations.resolve(place)
  if (!location) return { failed: 'the bucket for backups was removed', backup: planned }
  const shown = { ...planned, ...shownOf(location, backup.id) }
  if (location.kind === 's3' && !(await save(shown))) return 'overtaken'
  try {
    await runtime.apply({ backupId: backup.id, place: location, ref: { serviceId, warehouseId }, baseId })
  } catch (error) {
    // The backup did not begin, so this is no interruption; the driver counts how often the start is tried.
    await save({ ...shown, attempts })
    throw error
  }
  return { reason, againAfterMs: makingPollMs(backup, clock.now()) }
}

/** What the API shows of a backup in a user's own bucket. */
function shownOf(location: BackupLocation, backupId: string): Partial<BackupRecord> {
  if (location.kind === 'local') return {}
  const { url, roleArn, roleSessionName } = location
  return {
    backupName: backupId,
    bucket: { bucketPath: url, iamRoleArn: roleArn, iamRoleSessionName: roleSessionName },
  }
}
