import type { Activity, ActivityType } from '../domain/activity/types.ts'
import { automaticOf, fallAsleep, resize, wakeUp } from '../domain/service/automatic.ts'
import type { ServiceRecord } from '../domain/service/types.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Store } from '../store/store.ts'

interface Context {
  store: Store
  clock: Clock
  wake(kind: 'service', id: string): void
}

/** Wakes a sleeping service for a query: once, however many queries arrive on however many gateways. */
export function wakeService(context: Context, serviceId: string): Promise<boolean> {
  return writeIntent(context, serviceId, 'service_awake', 'a query arrived', (service) =>
    wakeUp(service, context.clock.now()),
  )
}

/** Puts the service to sleep only if it has not changed since it was seen: a newer intent stands. */
export function sleepService(context: Context, seen: ServiceRecord, reason: string): Promise<boolean> {
  return writeIntent(context, seen.id, 'service_idle', reason, (service) =>
    service.generation === seen.generation ? fallAsleep(service, reason, context.clock.now()) : null,
  )
}

export function resizeService(
  context: Context,
  seen: ServiceRecord,
  replicaMemoryGb: number,
  reason: string,
): Promise<boolean> {
  return writeIntent(context, seen.id, 'service_autoscaled', reason, (service) =>
    service.generation === seen.generation
      ? resize(service, replicaMemoryGb, reason, context.clock.now())
      : null,
  )
}

/** Writes an intent of the product itself, and its audit trail entry in the same transaction. */
async function writeIntent(
  { store, clock, wake }: Context,
  serviceId: string,
  type: ActivityType,
  reason: string,
  plan: (service: ServiceRecord) => Pick<ServiceRecord, 'spec' | 'status'> | null,
): Promise<boolean> {
  const changed = await store.transaction(async (tx) => {
    const found = await tx.services.find(serviceId)
    // The organization is locked before its services, as everywhere: the trail entry refers to it.
    if (found) await tx.organizations.get(found.organizationId, 'share')
    const service = found && (await tx.services.get(found.organizationId, serviceId))
    const planned = service && plan(service)
    if (!service || !planned) return false
    const saved = await tx.services.saveIntent({ ...service, ...planned, updatedAtMs: service.updatedAtMs })
    await tx.activities.insert(toActivity(type, service, saved, reason, clock.now()))
    return true
  })
  if (changed) wake('service', serviceId)
  return changed
}

function toActivity(
  type: ActivityType,
  before: ServiceRecord,
  after: ServiceRecord,
  reason: string,
  createdAtMs: number,
): Activity {
  const show = ({ spec, status }: ServiceRecord) => ({
    state: status.state,
    replicaMemoryGb: automaticOf(spec).replicaMemoryGb,
  })
  return {
    id: newId(),
    organizationId: before.organizationId,
    createdAtMs,
    type,
    actorType: 'system',
    actorId: '',
    actorDetails: 'autoscaler',
    actorIpAddress: '',
    userAgent: '',
    serviceId: before.id,
    resourceId: before.id,
    requestId: '',
    reason,
    before: show(before),
    after: show(after),
  }
}
