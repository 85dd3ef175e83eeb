import type { Clock } from '../lib/clock.ts'
import { endsWithin, type Outage } from '../lib/running.ts'
import type { Claim, WorkQueue } from '../lib/work-queue.ts'

/** A claim in this process, from the moment it is made until it is settled or lost. */
export interface Lease {
  readonly claim: Claim
  /** The signal that the run listens to: aborts on `interrupt` and on `lose`. */
  readonly signal: AbortSignal
  /** Aborts on `lose` alone: this process may no longer write the result. */
  readonly lost: AbortSignal
  /** Asks the run to end; this process keeps the lease. */
  interrupt(): void
  lose(): void
}

export interface Leases {
  /** `sentAtMs`: when the claim was sent to the queue, which is never later than when the queue's lease began. */
  take(claim: Claim, sentAtMs: number): Lease
  drop(lease: Lease): void
  held(): Lease[]
  /** The lease held on the same resource, of whatever epoch. */
  find(claim: Claim): Lease | undefined
  /** Renews the held leases until the signal aborts. */
  keep(signal: AbortSignal): Promise<void>
}

interface LeasesOptions {
  work: WorkQueue
  clock: Clock
  leaseMs: number
  outage: Outage
}

/**
 * Leases are renewed at a third of their time. When the queue cannot be reached, a lease counts as lost a tenth
 * before its end, so that the run here has stopped before the queue hands the item to another process.
 */
export function createLeases({ work, clock, leaseMs, outage }: LeasesOptions): Leases {
  const everyMs = leaseMs / 3
  const retryMs = leaseMs / 12
  const trustMs = leaseMs * 0.9
  const trustedUntilMs = new Map<Lease, number>()
  const caller = {}

  const trustLeftMs = () => Math.min(...trustedUntilMs.values()) - clock.now()

  /** Resolves with whether the queue answered. */
  async function renew(): Promise<boolean> {
    const asked = [...trustedUntilMs.keys()]
    const sentAtMs = clock.now()
    let renewed: Claim[]
    try {
      const asking = work.renew(claimsOf(asked), leaseMs)
      // A connection that hangs must not keep this process from noticing that a lease has run out.
      const leftMs = trustLeftMs()
      const limitMs = leftMs > 0 ? Math.min(everyMs, leftMs) : everyMs
      if (!(await endsWithin(clock, limitMs, asking))) throw new Error(`no answer within ${limitMs} ms`)
      renewed = await asking
    } catch (error) {
      outage.failed(caller, error)
      return false
    }
    const ours = new Set(renewed.map(nameOf))
    for (const lease of asked) {
      if (!trustedUntilMs.has(lease)) continue
      if (ours.has(nameOf(lease.claim))) trustedUntilMs.set(lease, sentAtMs + trustMs)
      else lease.lose()
    }
    outage.over(caller)
    return true
  }

  function loseExpired(): void {
    for (const [lease, untilMs] of trustedUntilMs) {
      if (untilMs <= clock.now()) lease.lose()
    }
  }

  return {
    take(claim, sentAtMs) {
      const stop = new AbortController()
      const loss = new AbortController()
      const lease: Lease = {
        claim,
        signal: stop.signal,
        lost: loss.signal,
        interrupt: () => stop.abort(),
        lose() {
          trustedUntilMs.delete(lease)
          loss.abort()
          stop.abort()
        },
      }
      trustedUntilMs.set(lease, sentAtMs + trustMs)
      return lease
    },
    drop: (lease) => void trustedUntilMs.delete(lease),
    held: () => [...trustedUntilMs.keys()],
    find: ({ kind, id }) => trustedUntilMs.keys().find(({ claim }) => claim.kind === kind && claim.id === id),
    async keep(signal) {
      let answered = true
      while (!signal.aborted) {
        await clock.sleep(answered ? everyMs : Math.max(0, Math.min(retryMs, trustLeftMs())), signal)
        if (signal.aborted) break
        // After a stall of this process, leases may look expired and still be ours: ask the queue before judging.
        if (!answered) loseExpired()
        if (trustedUntilMs.size > 0) answered = await renew()
        else {
          answered = true
          outage.left(caller)
        }
      }
      outage.left(caller)
    },
  }
}

const claimsOf = (leases: readonly Lease[]): Claim[] => leases.map((lease) => lease.claim)

const nameOf = ({ kind, id, epoch }: Claim): string => JSON.stringify([kind, id, epoch])
