import {
  type BackupConfigurationChange,
  defaultBackupConfiguration,
  planConfiguration,
} from '../domain/backup/configuration.ts'
import { requestBackup } from '../domain/backup/request.ts'
import type { BackupConfiguration, BackupRecord } from '../domain/backup/types.ts'
import { viewBackup } from '../domain/backup/view.ts'
import { AppError, invalid, notFound } from '../domain/errors.ts'
import { onlyPrimariesHaveBackups } from '../domain/service/commands.ts'
import type { ServiceRecord } from '../domain/service/types.ts'
import { newId } from '../lib/ids.ts'
import type { Repositories } from '../store/store.ts'
import {
  type Caller,
  type ControlContext,
  loadOrganization,
  loadService,
  recordActivity,
  requireState,
} from './context.ts'
import { type PageOf, type PageQuery, readPage } from './paging.ts'

export type BackupView = ReturnType<typeof viewBackup>

export async function getBackup(
  { store, clock }: ControlContext,
  caller: Caller,
  serviceId: string,
  backupId: string,
): Promise<BackupView> {
  await loadService(store, caller, serviceId)
  const backup = await store.backups.get(serviceId, backupId)
  if (!backup) throw notFound('backup')
  return viewBackup(backup, clock.now())
}

export async function listBackups(
  { store, clock }: ControlContext,
  caller: Caller,
  serviceId: string,
  query: PageQuery,
): Promise<PageOf<BackupView>> {
  await loadService(store, caller, serviceId)
  const read = (page: object) => store.backups.list(serviceId, page)
  const page = await readPage(query, read, (backup) => backup.startedAtMs)
  return { ...page, items: page.items.map((backup) => viewBackup(backup, clock.now())) }
}

/** Requests a backup now; the loop makes it. */
export async function createBackup(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
): Promise<BackupView> {
  const { store, clock } = context
  const view = await store.transaction(async (tx) => {
    await loadOrganization(tx, caller, 'share')
    const service = await loadService(tx, caller, serviceId)
    requireState(service, 'change')
    requirePrimary(service)
    await requireNoneRunning(tx, serviceId)
    const record = requestBackup({
      id: newId(),
      service,
      startedAtMs: clock.now(),
      requestedBy: 'user',
      reason: 'the backup was just requested',
    })
    await tx.backups.insert(record)
    const created = viewBackup(record, clock.now())
    await recordActivity(tx, clock, caller, {
      type: 'backup_create',
      serviceId,
      resourceId: record.id,
      after: created,
    })
    return created
  })
  context.wake('backup')
  return view
}

/** Requests a verification of the backup; the loop does it. The last result stands until then. */
export async function verifyBackup(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  backupId: string,
): Promise<BackupView> {
  const { store, clock } = context
  const view = await store.transaction(async (tx) => {
    await loadOrganization(tx, caller, 'share')
    requireState(await loadService(tx, caller, serviceId), 'change')
    const backup = await tx.backups.get(serviceId, backupId)
    if (!backup) throw notFound('backup')
    requireVerifiable(backup)
    const next: BackupRecord = {
      ...backup,
      progress: { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0 },
      verification: { ...backup.verification, status: 'in_progress', reason: '' },
    }
    await tx.backups.saveIntent(next)
    const before = viewBackup(backup, clock.now())
    const after = viewBackup(next, clock.now())
    await recordActivity(tx, clock, caller, {
      type: 'backup_verify',
      serviceId,
      resourceId: backupId,
      before,
      after,
    })
    return after
  })
  context.wake('backup')
  return view
}

function requireVerifiable({ status, verification }: BackupRecord): void {
  if (status !== 'done') {
    const extra = { currentState: status, allowedStates: ['done'] }
    const message = `only a finished backup can be read back. Current state: ${status}`
    throw new AppError('CONFLICT', message, { extra })
  }
  if (verification.status === 'in_progress')
    throw new AppError('CONFLICT', 'the backup is being read back already')
}

export async function getBackupConfiguration(
  { store }: ControlContext,
  caller: Caller,
  serviceId: string,
): Promise<BackupConfiguration> {
  requirePrimary(await loadService(store, caller, serviceId))
  return (await store.services.backupConfiguration(serviceId)) ?? defaultBackupConfiguration
}

export function updateBackupConfiguration(
  { store, clock }: ControlContext,
  caller: Caller,
  serviceId: string,
  change: BackupConfigurationChange,
): Promise<BackupConfiguration> {
  return store.transaction(async (tx) => {
    await loadOrganization(tx, caller, 'share')
    const service = await loadService(tx, caller, serviceId)
    requireState(service, 'change')
    requirePrimary(service)
    const before = (await tx.services.backupConfiguration(serviceId)) ?? defaultBackupConfiguration
    const planned = planConfiguration(before, change)
    if ('issues' in planned) throw invalid(planned.issues)
    const after = planned.configuration
    if (JSON.stringify(before) === JSON.stringify(after)) return after
    await tx.services.saveBackupConfiguration(serviceId, after)
    await recordActivity(tx, clock, caller, {
      type: 'service_update_backup_configuration',
      serviceId,
      resourceId: serviceId,
      before: { ...before },
      after: { ...after },
    })
    return after
  })
}

/** The data belongs to the warehouse, so only its primary service has backups. */
export function requirePrimary(service: ServiceRecord): void {
  if (service.isPrimary) return
  const path = ['path', 'serviceId']
  throw invalid([{ path, code: 'not_allowed', message: onlyPrimariesHaveBackups }])
}

/** The transaction has locked the service, so only one of two concurrent requests gets a backup. */
async function requireNoneRunning(tx: Repositories, serviceId: string): Promise<void> {
  const running = await tx.backups.running(serviceId)
  if (!running) return
  throw new AppError('CONFLICT', `a backup of this service is in progress: ${running.id}`, {
    extra: { currentState: running.status, allowedStates: ['done', 'error'] },
  })
}
