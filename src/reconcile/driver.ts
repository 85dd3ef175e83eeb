import type { Backoff } from '../lib/backoff.ts'
import type { Clock } from '../lib/clock.ts'
import { createOutage, endsWithin, keepTrying, type Log, type Running } from '../lib/running.ts'
import type { WorkQueue } from '../lib/work-queue.ts'
import { createClaiming } from './claiming.ts'
import { createLeases } from './lease.ts'
import type { Loop } from './loop.ts'
import { createRunStats, type DriverMetrics, type KindStatus } from './run-stats.ts'
import { createRuns } from './runs.ts'

export interface DriverOptions {
  work: WorkQueue
  /** One loop per kind. */
  loops: readonly Loop[]
  clock: Clock
  log: Log
  /** Unique to this process and this start of it. */
  owner: string
  metrics?: DriverMetrics
  /** Runs at once, all kinds together. With fewer slots than kinds, kinds wait for one another. */
  concurrency?: number
  leaseMs?: number
  /** How long an intent that was written elsewhere may go unseen. */
  pollMs?: number
  /** The shortest time between two rounds that claim something: many intents for one resource become few runs. */
  paceMs?: number
  /** On stop: how long runs may go on before they are aborted, and then again before they are left behind. */
  graceMs?: number
  /** The backoff between the runs of a resource that fails. */
  backoff?: Backoff
}

export interface Driver extends Running {
  /** An item of this kind, or of any kind, became due. A hint that saves the wait for the poll. */
  wake(kind?: string): void
  /** By kind; every kind is present from the start. */
  status(): Record<string, KindStatus>
}

/**
 * Runs the loops for the items that the queue says are due. The driver knows items and leases, and nothing of
 * what a loop does. Three things make it look: a wake, the earliest due time, and a timer; only the timer is
 * relied on.
 */
export function createDriver(options: DriverOptions): Driver {
  const { work, loops, clock, log, owner, metrics } = options
  const { concurrency = 16, leaseMs = 20_000, pollMs = 1_000, paceMs = 0, graceMs = 5_000 } = options
  const backoff = options.backoff ?? { baseMs: 1_000, maxMs: 300_000, random: Math.random }
  const id = `reconcile ${owner}`
  const loopOf = new Map(loops.map((loop) => [loop.kind, loop]))
  if (loopOf.size !== loops.length) throw new Error('two reconcile loops for one kind')
  const kinds = [...loopOf.keys()]

  const outage = createOutage({ what: 'the work queue', log, clock })
  const queueBackoff = { baseMs: 200, maxMs: 5_000, random: backoff.random }
  const ask = <T>(call: () => Promise<T>, signal: AbortSignal) =>
    keepTrying(call, { what: 'the work queue', log, clock, signal, backoff: queueBackoff, outage })

  const stats = createRunStats({ kinds, clock, log, forgetAfterMs: 2 * backoff.maxMs })
  const leases = createLeases({ work, clock, leaseMs, outage })
  const runs = createRuns({
    work,
    leases,
    stats,
    clock,
    log,
    backoff,
    metrics,
    ask,
    freed: (kind, dueInMs) => claiming.freed(kind, dueInMs),
  })
  const claiming = createClaiming({
    work,
    kinds,
    clock,
    owner,
    concurrency,
    leaseMs,
    pollMs,
    paceMs,
    ask,
    running: stats.running,
    start(claim, sentAtMs) {
      const loop = loopOf.get(claim.kind)
      // An answer that took as long as the lease came too late; the item becomes due again by itself.
      if (loop && clock.now() - sentAtMs < leaseMs) runs.start(loop, claim, sentAtMs)
    },
  })

  const closing = new AbortController()
  const closed = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const leased = new AbortController()
  let started = false

  function close(): void {
    closing.abort()
    closed.resolve()
  }

  /** Bounded in time, even if a loop ignores its signal or the queue hangs. */
  async function windDown(idle: Promise<unknown>, renewing: Promise<void>): Promise<void> {
    if (!(await endsWithin(clock, graceMs, idle))) {
      for (const lease of leases.held()) lease.interrupt()
      await endsWithin(clock, graceMs, idle)
    }
    leased.abort()
    const left = runs.names()
    for (const lease of leases.held()) lease.lose()
    if (left.length > 0) {
      // These runs may still be at work. Their leases run out instead of being given back, so that no other
      // driver begins the same work beside them.
      log.error({ left }, `${id}: runs did not end in time and are left behind`)
      return
    }
    const released = await endsWithin(clock, graceMs, Promise.all([renewing, work.release(owner)]))
    if (!released) log.warn({}, `${id}: the work queue did not answer, leases run out by themselves`)
  }

  return {
    id,
    wake: claiming.wake,
    status: stats.status,
    async run(signal) {
      if (started) throw new Error(`${id} is running already`)
      started = true
      signal.addEventListener('abort', close, { once: true })
      if (signal.aborted) close()
      const renewing = leases.keep(leased.signal)
      const claims = claiming.run(closing.signal)
      try {
        await Promise.race([closed.promise, claims])
      } finally {
        close()
        signal.removeEventListener('abort', close)
        const idle = claims.catch(() => undefined).then(runs.ended)
        await windDown(idle, renewing).catch((error: unknown) => {
          log.warn({ err: error }, `${id}: leases could not be given back, they run out by themselves`)
        })
        ended.resolve()
      }
    },
    async stop() {
      close()
      if (started) await ended.promise
    },
  }
}
