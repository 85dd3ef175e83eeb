import { AppError } from '../../domain/errors.ts'
import { type ServiceView, viewService } from '../../domain/service/view.ts'
import {
  type Caller,
  type ControlContext,
  loadOrganization,
  loadService,
  recordActivity,
  requireState,
} from '../context.ts'

/** Marks a service for deletion. The loop stops its replicas, removes its data and then the record. */
export async function deleteService(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
): Promise<ServiceView> {
  const { store, clock, endpoint } = context
  let isChanged = false
  const view = await store.transaction(async (tx) => {
    // The organization's lock keeps another service from joining the warehouse meanwhile.
    await loadOrganization(tx, caller, 'update')
    const service = await loadService(tx, caller, serviceId)
    if (service.spec.deleting) return viewService(service, endpoint)
    requireState(service, 'delete')
    if (service.isPrimary && (await tx.services.hasSecondaries(service.warehouseId))) {
      throw new AppError(
        'CONFLICT',
        'the primary service of a warehouse is deleted last: delete its other services first',
      )
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
    return after
  })
  if (isChanged) context.wake('service', serviceId)
  return view
}
