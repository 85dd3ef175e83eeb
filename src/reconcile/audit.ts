import type { Activity, ActivityType } from '../domain/activity/types.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Repositories, Store } from '../store/store.ts'

export interface StateChange {
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
 * so that the trail never shows a change that was not made; progress within a state is not recorded. `write`
 * resolves with false when the claim no longer holds.
 */
export async function writeWithActivity(
  { store, clock }: { store: Store; clock: Clock },
  change: StateChange,
  write: (repositories: Repositories) => Promise<boolean>,
): Promise<void> {
  if (change.before === change.after) {
    await write(store)
    return
  }
  await store.transaction(async (tx) => {
    // The organization is locked before its resources, as everywhere: the trail entry refers to it.
    await tx.organizations.get(change.organizationId, 'share')
    if (await write(tx)) await tx.activities.insert(toActivity(change, clock.now()))
  })
}

/** An audit trail entry for callers that write their changes themselves. */
export function toActivity(change: StateChange, createdAtMs: number): Activity {
  const { type, organizationId, serviceId, resourceId, reason } = change
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
    before: change.before === '' ? {} : { state: change.before },
    after: change.after === '' ? {} : { state: change.after },
  }
}
