import type { Clock } from '../lib/clock.ts'
import type { Claim, WorkQueue } from '../lib/work-queue.ts'
import { createBell } from './bell.ts'

/** Decides when to ask the queue, for which kind, and for how many items. */
export interface Claiming {
  /** Claims due items, as slots allow, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
  /** An item of this kind, or of any kind, is due now. */
  wake(kind?: string): void
  /** A slot is free; the item that had it is due again after `dueInMs` (null = not by itself). */
  freed(kind: string, dueInMs: number | null): void
}

interface ClaimingOptions {
  work: WorkQueue
  kinds: readonly string[]
  clock: Clock
  owner: string
  concurrency: number
  leaseMs: number
  pollMs: number
  /** The pause after a round that claimed something, so that a storm of intents is not a run for each. */
  paceMs: number
  /** How many slots a kind has taken. */
  running(kind: string): number
  /** Calls the queue until it answers; undefined = the signal came first. */
  ask<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T | undefined>
  start(claim: Claim, sentAtMs: number): void
}

export function createClaiming(options: ClaimingOptions): Claiming {
  const { work, clock, owner, concurrency, leaseMs, pollMs, paceMs, running, ask, start } = options
  const bell = createBell(clock)
  /** The kind that was asked for longest ago comes first. */
  const turns = [...options.kinds]
  /** Kinds that may have an item due now. */
  const hungry = new Set(turns)
  let lookAtMs = clock.now()

  const freeSlots = () => turns.reduce((free, kind) => free - running(kind), concurrency)

  /** Slots this kind may take now: each other kind that runs nothing keeps one for itself. */
  function room(kind: string): number {
    const free = freeSlots()
    const kept = turns.filter((other) => other !== kind && running(other) === 0).length
    return Math.min(free, Math.max(running(kind) === 0 ? 1 : 0, free - kept))
  }

  /** Claims until nothing is due or no slot is left; returns how many items were claimed. */
  async function claimDue(signal: AbortSignal): Promise<number> {
    let took = 0
    for (;;) {
      const open = turns.filter((kind) => hungry.has(kind) && room(kind) > 0)
      const [kind] = open
      if (kind === undefined || signal.aborted) return took
      turns.push(...turns.splice(turns.indexOf(kind), 1))
      const limit = Math.min(room(kind), Math.ceil(freeSlots() / open.length))
      // Deleted before the queue is asked, so that a wake during the call is not forgotten.
      hungry.delete(kind)
      const sentAtMs = clock.now()
      const claims = await ask(() => work.claim({ owner, kinds: [kind], limit, leaseMs }), signal)
      // Items that were claimed while the driver was told to stop are given back with the other leases.
      if (claims === undefined || signal.aborted) return took
      // The queue gave as many as it was asked for, so there may be more.
      if (claims.length >= limit) hungry.add(kind)
      for (const claim of claims) start(claim, sentAtMs)
      took += claims.length
    }
  }

  /** Asks the queue when the next item is due; true = now. */
  async function look(signal: AbortSignal): Promise<boolean> {
    const open = turns.filter((kind) => room(kind) > 0)
    // A kind without a free slot is not asked about here: it is tried as soon as a slot is free.
    for (const kind of turns) if (!open.includes(kind)) hungry.add(kind)
    lookAtMs = Number.POSITIVE_INFINITY
    const dueInMs = open.length > 0 ? await ask(() => work.nextDueInMs(open), signal) : null
    const dueNow = typeof dueInMs === 'number' && dueInMs <= 0
    if (dueNow) for (const kind of open) hungry.add(kind)
    // If the due item cannot be claimed (another driver was quicker), the next look is a poll away.
    const againInMs = dueNow ? pollMs : Math.min(pollMs, dueInMs ?? pollMs)
    // A run may have named an earlier time during the call.
    lookAtMs = Math.min(lookAtMs, clock.now() + againInMs)
    return dueNow
  }

  return {
    async run(signal) {
      signal.addEventListener('abort', bell.ring, { once: true })
      while (!signal.aborted) {
        const took = await claimDue(signal)
        // Looks after a claim too: when the next item is due is not known yet.
        const isDue = (took > 0 || clock.now() >= lookAtMs) && (await look(signal))
        if (!isDue && !signal.aborted) await bell.wait(lookAtMs - clock.now())
        if (took > 0 && paceMs > 0) await clock.sleep(paceMs, signal)
      }
    },
    wake(kind) {
      if (kind === undefined) for (const each of turns) hungry.add(each)
      else if (turns.includes(kind)) hungry.add(kind)
      bell.ring()
    },
    freed(kind, dueInMs) {
      if (dueInMs !== null && dueInMs <= 0) hungry.add(kind)
      else if (dueInMs !== null) lookAtMs = Math.min(lookAtMs, clock.now() + dueInMs)
      bell.ring()
    },
  }
}
