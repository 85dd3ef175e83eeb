import { AppError } from '../../domain/errors.ts'
import { primaryIsDeletedLast } from '../../domain/service/commands.ts'
import { viewService } from '../../domain/service/view.ts'
import {
  type Caller,
  type ControlContext,
  loadOrganization,
  loadService,
  recordActivity,
  requireState,
} from '../context.ts'
import { answerService, type ServiceAnswer } from './answer.ts'

/** Marks a service for deletion. The loop stops its replicas, removes its data and then the record. */
export async function deleteService(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
): Promise<ServiceAnswer> {
  const { store, clock, endpoint } = context
  let isChanged = false
  const service = await store.transaction(async (tx) => {
    // The organization's lock keeps another service from joining the warehouse meanwhile.
    await loadOrganization(tx, caller, 'update')
    const service = await loadService(tx, caller, serviceId)
    if (service.spec.deleting) return service
    requireState(service, 'delete')
    if (service.isPrimary && (await tx.services.hasSecondaries(service.warehouseId))) {
      throw new AppError('CONFLICT', primaryIsDeletedLast)
    }
    const nowMs = clock.now()
    const saved = await tx.services.saveIntent({
      ...service,
      spec: { ...service.spec, power: 'off', deleting: true },
      status: { ...service.status, state: 'terminating', reason: 'deletion was requested', sinceMs: nowMs },
      updatedAtMs: nowMs,
    })
    const before = viewService(service, endpoint)
    const after = viewService(saved, endpoint)
    await recordActivity(tx, clock, caller, {
      type: 'service_delete',
      serviceId,
      resourceId: serviceId,
      before,
      after,
    })
    isChanged = true
    return saved
  })
  if (isChanged) context.wake('service', serviceId)
  return answerService(context, service)
}
