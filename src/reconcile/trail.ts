import type { Activity, ActivityType } from '../domain/activity/types.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Repositories, Store } from '../store/store.ts'

export interface Step {
  type: ActivityType
  organizationId: string
  serviceId: string
  resourceId: string
  /** '' = the resource did not exist. */
  before: string
  /** '' = the resource is gone. */
  after: string
  reason: string
}

/**
 * Writes what a loop found. A new state is recorded in the audit trail, in the transaction that writes the state,
 * so that the trail never shows a step that was not made; progress within a state is not recorded. `write`
 * resolves with false when the claim no longer holds.
 */
export async function takeStep(
  { store, clock }: { store: Store; clock: Clock },
  step: Step,
  write: (repositories: Repositories) => Promise<boolean>,
): Promise<void> {
  if (step.before === step.after) {
    await write(store)
    return
  }
  await store.transaction(async (tx) => {
    // The organization is locked before its resources, as everywhere: the trail entry refers to it.
    await tx.organizations.get(step.organizationId, 'share')
    if (await write(tx)) await tx.activities.insert(toActivity(step, clock.now()))
  })
}

/** An audit trail entry for callers that write their steps themselves. */
export function toActivity(step: Step, createdAtMs: number): Activity {
  const { type, organizationId, serviceId, resourceId, reason } = step
  return {
    id: newId(),
    organizationId,
    createdAtMs,
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
    before: step.before === '' ? {} : { state: step.before },
    after: step.after === '' ? {} : { state: step.after },
  }
}
