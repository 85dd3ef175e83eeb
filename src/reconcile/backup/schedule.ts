import { defaultBackupConfiguration } from '../../domain/backup/configuration.ts'
import { requestBackup } from '../../domain/backup/request.ts'
import { expired } from '../../domain/backup/retention.ts'
import { inProductTime, nextBackup } from '../../domain/backup/schedule.ts'
import type { BackupConfiguration, BackupRecord } from '../../domain/backup/types.ts'
import { isElsewhere } from '../../domain/service/holder.ts'
import type { ServiceRecord } from '../../domain/service/types.ts'
import type { BackupLocations } from '../../engine/backup.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Repositories, Store } from '../../store/store.ts'
import { type StateChange, toActivity } from '../audit.ts'
import type { Loop } from '../loop.ts'

export interface BackupScheduleParts {
  store: Store
  locations: Pick<BackupLocations, 'current'>
  clock: Clock
  wake(kind: 'backup'): void
  /** Product time passes this many times faster than the clock. */
  timeScale: number
  /** The name of this data plane; '' = any may back up any service. */
  dataPlaneId?: string
}

const minuteMs = 60_000
/** The longest time between two looks, in product time: retention and states change without an intent. */
const lookMs = 60 * minuteMs
/** When a service that cannot be backed up now is looked at again, in product time. */
const notYetMs = 10 * minuteMs

/**
 * Has one item for each warehouse, due when the next backup of the warehouse is due. Decides from the records
 * alone whether a backup begins and which backups are out of retention, and writes both as intents that the
 * backup loop carries out.
 */
export function createBackupScheduleLoop(parts: BackupScheduleParts): Loop {
  const { store, locations, clock, wake, timeScale, dataPlaneId = '' } = parts

  return {
    kind: 'backup_schedule',
    async reconcile(id) {
      const service = await store.services.find(id)
      if (!service || service.spec.deleting) return { reason: 'the service is gone', gone: true }
      if (isElsewhere(service, dataPlaneId))
        return { reason: 'another machine holds its data', againAfterMs: soon(lookMs) }
      const place = await locations.current(id)
      const nowMs = clock.now()
      let decision = await decide(store, service, place, nowMs)
      if (decision.begins || decision.removed.length > 0) {
        decision = await store.transaction((tx) => carryOut(tx, service, place, nowMs))
        wake('backup')
      }
      const { reason, againInMs } = decision
      return { reason, againAfterMs: soon(decision.begins ? lookMs : againInMs) }
    },
  }

  function soon(productMs: number): number {
    return Math.max(50, Math.ceil(Math.min(productMs, lookMs) / timeScale))
  }

  async function decide(
    repositories: Repositories,
    service: ServiceRecord,
    place: string,
    nowMs: number,
  ): Promise<Decision> {
    const { id } = service
    const configuration = (await repositories.services.backupConfiguration(id)) ?? defaultBackupConfiguration
    const records = (await repositories.backups.list(id)).filter(({ removing }) => !removing)
    const backups = records.map((record) => inProductTime(record, timeScale))
    const removed = await out(repositories, backups.map(doubted), configuration, nowMs * timeScale)
    const obstacle = obstacleOf(service)
    const { due, dueAtMs, reason } = nextBackup({
      configuration,
      backups,
      place,
      createdAtMs: service.createdAtMs * timeScale,
      nowMs: nowMs * timeScale,
    })
    const gone = new Set(removed.ids)
    const leftMs = dueAtMs - nowMs * timeScale
    return {
      begins: due && obstacle === '',
      removed: records.filter((record) => gone.has(record.id)).sort(byOrder(removed.ids)),
      removedReason: removed.reason,
      reason: due && obstacle !== '' ? `${reason}, but ${obstacle}` : reason,
      // An overdue backup waits for the running one; the end of the running one makes this item due.
      againInMs: due ? notYetMs : leftMs > 0 ? leftMs : lookMs,
    }
  }

  /** Decides again inside the transaction, on records that cannot change until it ends, and writes the decision. */
  async function carryOut(
    tx: Repositories,
    { id, organizationId }: ServiceRecord,
    place: string,
    nowMs: number,
  ): Promise<Decision> {
    // A request that begins a restore locks the organization too.
    await tx.organizations.get(organizationId, 'share')
    const service = await tx.services.get(organizationId, id)
    if (!service || service.spec.deleting) return { ...nothing, reason: 'the service is gone' }
    const decision = await decide(tx, service, place, nowMs)
    const told = { organizationId, serviceId: id }
    for (const record of decision.removed) {
      const reason = `it is removed: ${decision.removedReason}`
      await tx.backups.saveIntent({ ...record, status: 'error', removing: true, reason })
      await tell(tx, {
        ...told,
        type: 'backup_state',
        resourceId: record.id,
        before: record.status,
        after: '',
        reason,
      })
    }
    if (decision.begins) {
      const { reason } = decision
      const backup = requestBackup({
        id: newId(),
        service,
        startedAtMs: nowMs,
        requestedBy: 'schedule',
        reason: 'it is due by its schedule',
      })
      await tx.backups.insert(backup)
      await tell(tx, {
        ...told,
        type: 'backup_create',
        resourceId: backup.id,
        before: '',
        after: backup.status,
        reason,
      })
    }
    return decision
  }

  function tell(tx: Repositories, change: StateChange): Promise<void> {
    return tx.activities.insert(toActivity(change, clock.now()))
  }
}

interface Decision {
  begins: boolean
  /** In the order in which they are removed. */
  removed: BackupRecord[]
  removedReason: string
  reason: string
  /** In product time. */
  againInMs: number
}

const nothing: Decision = { begins: false, removed: [], removedReason: '', reason: '', againInMs: notYetMs }

/** '' = the service can be backed up, also while it is asleep or stopped. */
function obstacleOf({ status }: ServiceRecord): string {
  if (status.state === 'failed') return 'the service has failed'
  return status.provisioned ? '' : 'the service has no data yet'
}

async function out(
  { services }: Repositories,
  backups: BackupRecord[],
  configuration: BackupConfiguration,
  nowMs: number,
): Promise<{ ids: string[]; reason: string }> {
  const inUse = new Set(
    backups.flatMap(({ id, verification }) => (verification.status === 'in_progress' ? [id] : [])),
  )
  let { removeIds, reason } = expired({ configuration, backups, nowMs, inUse })
  if (removeIds.length > 0) {
    // Asks about every backup: a restore also reads all the backups that its own one stands on.
    for (const id of await services.restoring(backups.map(({ id }) => id))) inUse.add(id)
    ;({ removeIds, reason } = expired({ configuration, backups, nowMs, inUse }))
  }
  return { ids: removeIds, reason }
}

/** A backup that was not yet, or could not be, read back is no reason to remove another backup. */
function doubted(backup: BackupRecord): BackupRecord {
  const { status, checkedAtMs, reason } = backup.verification
  const isUnread = checkedAtMs === null && (status === 'in_progress' || reason !== '')
  return backup.status === 'done' && isUnread ? { ...backup, damaged: true } : backup
}

const byOrder = (ids: readonly string[]) => (a: BackupRecord, b: BackupRecord) =>
  ids.indexOf(a.id) - ids.indexOf(b.id)
