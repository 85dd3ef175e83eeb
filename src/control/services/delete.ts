import { AppError } from '../../domain/errors.ts'
import { isNotRestored, primaryIsDeletedLast } from '../../domain/service/commands.ts'
import { isRestoring } from '../../domain/service/restore.ts'
import type { ServiceRecord } from '../../domain/service/types.ts'
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
export function deleteService(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
): Promise<ServiceAnswer> {
  return endService(context, caller, serviceId, {
    ...{ type: 'service_delete', reason: 'deletion was requested' },
    check: (service) => requireState(service, 'delete'),
  })
}

/** Ends a service that still waits for the data of its backup; the backup stays. */
export function cancelRestore(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
): Promise<ServiceAnswer> {
  return endService(context, caller, serviceId, {
    ...{ type: 'service_cancel_restore', reason: 'its restore was cancelled' },
    check(service) {
      if (isRestoring(service)) return
      const { state } = service.status
      throw new AppError('CONFLICT', `${isNotRestored}. Current state: ${state}`, {
        extra: { currentState: state },
      })
    },
  })
}

interface Ending {
  type: 'service_delete' | 'service_cancel_restore'
  reason: string
  /** Throws if the service must not be ended in this way. */
  check(service: ServiceRecord): void
}

async function endService(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  { type, reason, check }: Ending,
): Promise<ServiceAnswer> {
  const { store, clock, endpoint } = context
  let isChanged = false
  const service = await store.transaction(async (tx) => {
    // The organization's lock keeps another service from joining the warehouse meanwhile.
    await loadOrganization(tx, caller, 'update')
    const service = await loadService(tx, caller, serviceId)
    if (service.spec.deleting) return service
    check(service)
    if (service.isPrimary && (await tx.services.hasSecondaries(service.warehouseId))) {
      throw new AppError('CONFLICT', primaryIsDeletedLast)
    }
    const nowMs = clock.now()
    const saved = await tx.services.saveIntent({
      ...service,
      spec: { ...service.spec, power: 'off', deleting: true },
      status: { ...service.status, state: 'terminating', reason, sinceMs: nowMs },
      updatedAtMs: nowMs,
    })
    const before = viewService(service, endpoint)
    const after = viewService(saved, endpoint)
    await recordActivity(tx, clock, caller, {
      type,
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
