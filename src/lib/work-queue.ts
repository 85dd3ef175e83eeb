/**
 * The work queue of the reconcile loops: one item per resource, level-triggered. An item says "look at this
 * resource", never what changed; its generation rises with every new intent, so a run that began before the
 * last intent is known to be stale.
 */
export interface WorkQueue {
  /** Leases up to `limit` due, unleased items of these kinds to `owner`; the epoch of each rises by one. */
  claim(input: { owner: string; kinds: readonly string[]; limit: number; leaseMs: number }): Promise<Claim[]>
  /** Extends the leases that this owner still holds and returns those; the others are lost. */
  renew(claims: readonly Claim[], leaseMs: number): Promise<Claim[]>
  /**
   * Ends a claim. If the generation moved since the claim, the item is due at once (`superseded`); if this
   * owner no longer holds the lease, nothing is written (`lost`). `dueInMs: null` = not due until the next
   * intent; `gone` = the resource no longer exists, and the item is removed too.
   */
  settle(
    claim: Claim,
    next: { dueInMs: number | null; attempts: number; reason: string; gone?: boolean },
  ): Promise<Settled>
  /** Milliseconds until an item of these kinds is due or its lease runs out; 0 = now; null = nothing waits. */
  nextDueInMs(kinds: readonly string[]): Promise<number | null>
  /** Makes an item due now, because its resource changed by itself. A missing item is ignored. */
  nudge(kind: string, id: string): Promise<void>
  /** Makes all items of a kind due now that would be due later; those that are at rest stay so. */
  hasten(kind: string): Promise<void>
  /** Gives back every lease of this owner, at shutdown. */
  release(owner: string): Promise<void>
}

export interface Claim {
  kind: string
  id: string
  owner: string
  /** Rises with every lease: a write with an older epoch is refused. */
  epoch: number
  /** Generation of the intent at the time of the claim. */
  generation: number
  /** Number of failed runs in a row. */
  attempts: number
}

export type Settled = 'settled' | 'superseded' | 'lost'
