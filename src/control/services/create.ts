import { goodBackups } from '../../domain/backup/chain.ts'
import { AppError, invalid } from '../../domain/errors.ts'
import { planService, type ServiceDraft } from '../../domain/service/create.ts'
import type { ServiceRecord, ServiceSpec } from '../../domain/service/types.ts'
import { viewService } from '../../domain/service/view.ts'
import { newId } from '../../lib/ids.ts'
import type { Repositories } from '../../store/store.ts'
import { type Caller, type ControlContext, loadOrganization, recordActivity } from '../context.ts'
import { answerService, type ServiceAnswer } from './answer.ts'
import { newPassword } from './password.ts'

export async function createService(
  context: ControlContext,
  caller: Caller,
  body: ServiceDraft,
  id = newId(),
): Promise<{ service: ServiceAnswer; password: string }> {
  const draft = withLowerCaseIds(body)
  const password = newPassword()
  const { store, dataPlane } = context
  const created = await store.transaction(async (tx) => {
    const organization = await loadOrganization(tx, caller, 'update')
    const primary = await findPrimary(tx, organization.id, draft.dataWarehouseId)
    const planned = planService(draft, { organization, isPrimary: primary === null })
    if ('issues' in planned) throw invalid(planned.issues)
    if (organization.serviceCount >= context.quotas.servicesPerOrganization) {
      throw quota(`an organization has at most ${context.quotas.servicesPerOrganization} services`)
    }
    const source = await checkBackup(tx, organization.id, draft.backupId)
    // Only the data plane that holds the warehouse, or the backup, can run the service.
    const dataPlaneId = primary?.status.dataPlaneId ?? source ?? dataPlane.id
    const record = newRecord(
      context,
      { id, organizationId: organization.id },
      primary,
      planned.spec,
      dataPlaneId,
    )
    const stored = await tx.services.insert(record, context.secretBox.hash(password))
    if (!stored) throw quota('no endpoint port is free: widen GRANARY_SERVICE_PORTS')
    const view = viewService(stored, context.endpoint)
    const type = draft.backupId === undefined ? 'service_create' : 'service_restore_backup'
    await recordActivity(tx, context.clock, caller, {
      type,
      serviceId: view.id,
      resourceId: view.id,
      after: view,
    })
    return stored
  })
  const { id: serviceId, endpointPort: port, status } = created
  context.wake('service', serviceId)
  if ((status.dataPlaneId ?? '') === dataPlane.id) await dataPlane.openEndpoint({ serviceId, port })
  return { service: await answerService(context, created), password }
}

/** Ids are case-insensitive; they are stored in lower case. */
function withLowerCaseIds({ dataWarehouseId, backupId, ...draft }: ServiceDraft): ServiceDraft {
  return {
    ...draft,
    ...(dataWarehouseId === undefined ? {} : { dataWarehouseId: dataWarehouseId.toLowerCase() }),
    ...(backupId === undefined ? {} : { backupId: backupId.toLowerCase() }),
  }
}

async function findPrimary(
  tx: Repositories,
  organizationId: string,
  warehouseId?: string,
): Promise<ServiceRecord | null> {
  if (warehouseId === undefined) return null
  const primary = await tx.services.primaryOf(organizationId, warehouseId)
  if (!primary)
    throw invalid([{ path: ['dataWarehouseId'], code: 'not_found', message: 'no such warehouse' }])
  if (primary.spec.deleting) throw new AppError('CONFLICT', 'the warehouse is being deleted')
  return primary
}

/**
 * Refuses a backup that cannot be restored. Resolves with the only data plane that can restore it; undefined =
 * any.
 */
async function checkBackup(
  tx: Repositories,
  organizationId: string,
  backupId?: string,
): Promise<string | undefined> {
  if (backupId === undefined) return undefined
  const backup = await tx.backups.find(backupId)
  if (!backup || backup.organizationId !== organizationId) throw wrongBackup('not_found', 'no such backup')
  if (backup.status !== 'done') {
    const state = backup.status === 'error' ? 'could not be made' : 'is not finished'
    throw wrongBackup('not_allowed', `the backup ${state}: only one that is done can be restored`)
  }
  if (backup.damaged) throw wrongBackup('not_allowed', 'the backup is damaged')
  const all = await tx.backups.list(backup.serviceId)
  if (!goodBackups(all).some(({ id }) => id === backup.id))
    throw wrongBackup('not_allowed', 'a backup that it stands on is damaged or gone')
  if (backup.place !== 'local') return undefined
  const source = await tx.services.find(backup.serviceId)
  if (!source || source.spec.deleting)
    throw wrongBackup('not_allowed', 'the backup is being deleted with its service')
  return source.status.dataPlaneId
}

const wrongBackup = (code: 'not_found' | 'not_allowed', message: string) =>
  invalid([{ path: ['backupId'], code, message }])

function newRecord(
  { clock }: ControlContext,
  ids: Pick<ServiceRecord, 'id' | 'organizationId'>,
  primary: ServiceRecord | null,
  spec: ServiceSpec,
  dataPlaneId: string,
): Omit<ServiceRecord, 'endpointPort'> {
  const nowMs = clock.now()
  return {
    ...ids,
    warehouseId: primary?.warehouseId ?? newId(),
    isPrimary: primary === null,
    generation: 1,
    spec,
    status: {
      state: 'provisioning',
      reason: 'the service was just created',
      sinceMs: nowMs,
      observedGeneration: 0,
      dbVersion: '',
      provisioned: false,
      current: { numReplicas: 0, replicaMemoryGb: 0 },
      ...(dataPlaneId === '' ? {} : { dataPlaneId }),
    },
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
}

const quota = (message: string) => new AppError('QUOTA_EXCEEDED', message)
