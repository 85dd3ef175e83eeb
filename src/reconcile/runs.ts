import type { Backoff } from '../lib/backoff.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/running.ts'
import type { Claim, WorkQueue } from '../lib/work-queue.ts'
import type { Leases } from './lease.ts'
import type { Loop } from './loop.ts'
import { type RunEnd, runOnce } from './run.ts'
import type { DriverMetrics, RunStats } from './run-stats.ts'

/** The runs of this process: at most one per resource at any time. */
export interface Runs {
  start(loop: Loop, claim: Claim, sentAtMs: number): void
  /** The resources that are being run now, as `kind/id`. */
  names(): string[]
  /** Resolves when the runs that are under way have ended. */
  ended(): Promise<void>
}

interface RunsOptions {
  work: WorkQueue
  leases: Leases
  stats: RunStats
  clock: Clock
  log: Log
  backoff: Backoff
  metrics: DriverMetrics | undefined
  /** Calls the queue until it answers; undefined = the signal came first. */
  ask<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T | undefined>
  freed(kind: string, dueInMs: number | null): void
}

export function createRuns(options: RunsOptions): Runs {
  const { work, leases, stats, clock, log, backoff, metrics, ask, freed } = options
  /** By resource: its run, or the last of several runs that wait for one another. */
  const last = new Map<string, Promise<void>>()

  async function run(loop: Loop, claim: Claim, sentAtMs: number, before?: Promise<void>): Promise<void> {
    const { kind, id, epoch } = claim
    const startedAtMs = clock.now()
    const lease = leases.take(claim, sentAtMs)
    stats.started(claim)
    let end: RunEnd = { outcome: 'lost', quiet: false, dueInMs: null }
    try {
      await before
      end = await runOnce({
        lease,
        loop,
        backoff,
        log,
        settle: (item, next) => ask(() => work.settle(item, next), lease.lost),
      })
      if (end.outcome === 'lost') log.warn({ kind, id, epoch }, 'lease lost, the result is dropped')
      metrics?.finished(kind, end.outcome, clock.now() - startedAtMs)
    } catch (error) {
      log.error({ kind, id, err: error }, 'the run of a resource broke in the driver itself')
    } finally {
      leases.drop(lease)
      stats.ended(claim, end)
      freed(kind, end.dueInMs)
    }
  }

  return {
    start(loop, claim, sentAtMs) {
      const name = `${claim.kind}/${claim.id}`
      // This process lost its lease and claimed the item anew: the new run waits until the old one has ended.
      leases.find(claim)?.lose()
      const finished = run(loop, claim, sentAtMs, last.get(name)).finally(() => {
        if (last.get(name) === finished) last.delete(name)
      })
      last.set(name, finished)
    },
    names: () => [...last.keys()],
    async ended() {
      await Promise.allSettled(last.values())
    },
  }
}
