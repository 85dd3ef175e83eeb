import type { Activity, ActivityType } from '../domain/activity/types.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Repositories } from '../store/store.ts'

export interface Step {
  type: ActivityType
  organizationId: string
  serviceId: string
  resourceId: string
  before: string
  /** '' = the resource is gone. */
  after: string
  reason: string
}

/**
 * Tells the audit trail that the loops brought a resource into another state, and why. In the transaction that
 * writes the state: the trail never tells of a step that was not made.
 */
export async function recordStep(tx: Repositories, clock: Clock, step: Step): Promise<void> {
  const { type, organizationId, serviceId, resourceId, reason } = step
  const activity: Activity = {
    id: newId(),
    organizationId,
    createdAtMs: clock.now(),
    type,
    actorType: 'system',
    actorId: '',
    actorDetails: 'reconcile loop',
    actorIpAddress: '',
    userAgent: '',
    serviceId,
    resourceId,
    requestId: '',
    reason,
    before: { state: step.before },
    after: step.after === '' ? {} : { state: step.after },
  }
  await tx.activities.insert(activity)
}
