import { type Backoff, backoffMs } from './backoff.ts'
import type { Clock } from './clock.ts'

/** The contract of everything that runs for as long as the process does. */
export interface Running {
  readonly id: string
  /** Resolves once the work has ended, by `stop` or by the signal; rejects only when it cannot go on. */
  run(signal: AbortSignal): Promise<void>
  /** Resolves once nothing of the work runs any more. May be called at any time, and twice. */
  stop(): Promise<void>
}

/** The part of a pino logger that we use. */
export interface Log {
  debug(detail: object, message: string): void
  info(detail: object, message: string): void
  warn(detail: object, message: string): void
  error(detail: object, message: string): void
}

/** Several callers of one peer that fail together: logged as one outage, not once per caller. */
export interface Outage {
  failed(caller: object, error: unknown): void
  /** This caller succeeded. The outage is over when every caller that failed has succeeded. */
  over(caller: object): void
  /** This caller stopped asking, which says nothing about the peer. */
  left(caller: object): void
}

// A short failure is ordinary; one that lasts is logged at rising levels, each once.
const steps = [
  { afterMs: 60_000, level: 'error' },
  { afterMs: 5_000, level: 'warn' },
  { afterMs: 0, level: 'info' },
] as const

export function createOutage({ what, log, clock }: { what: string; log: Log; clock: Clock }): Outage {
  const failing = new Set<object>()
  let sinceMs = 0
  let said: string | undefined

  return {
    failed(caller, error) {
      if (failing.size === 0) {
        sinceMs = clock.now()
        said = undefined
      }
      failing.add(caller)
      const failingForMs = clock.now() - sinceMs
      const level = steps.find((step) => failingForMs >= step.afterMs)?.level ?? 'info'
      log[level === said ? 'debug' : level]({ err: error, failingForMs }, `${what} fails, trying again`)
      said = level
    },
    over(caller) {
      if (failing.delete(caller) && failing.size === 0) {
        log.info({ failedForMs: clock.now() - sinceMs }, `${what} works again`)
      }
    },
    left(caller) {
      failing.delete(caller)
    },
  }
}

export interface Attempt {
  signal: AbortSignal
  /** For attempts that last: resets the count of failures, so that the next failure counts as the first. */
  working(): void
}

export interface KeepTryingOptions {
  /** The name of the peer in the log. */
  what: string
  log: Log
  clock: Clock
  signal: AbortSignal
  backoff: Backoff
  /** Shared with other callers of the same peer; absent = this caller has its own. */
  outage?: Outage
}

/** Calls `attempt` until it resolves, with backoff in between; undefined when the signal ended it first. */
export async function keepTrying<T>(
  attempt: (attempt: Attempt) => Promise<T>,
  { what, log, clock, signal, backoff, outage = createOutage({ what, log, clock }) }: KeepTryingOptions,
): Promise<T | undefined> {
  const caller = {}
  let failures = 0
  const working = () => {
    failures = 0
    outage.over(caller)
  }
  while (!signal.aborted) {
    try {
      const value = await attempt({ signal, working })
      working()
      return value
    } catch (error) {
      if (signal.aborted) break
      failures += 1
      outage.failed(caller, error)
      await clock.sleep(backoffMs(failures, backoff), signal)
    }
  }
  outage.left(caller)
  return undefined
}

/**
 * Whether `work` ended in time. Rejects if `work` rejects in time; what `work` does after the limit is ignored.
 * When `hurry` aborts, the time is over.
 */
export async function endsWithin(
  clock: Clock,
  limitMs: number,
  work: Promise<unknown>,
  hurry?: AbortSignal,
): Promise<boolean> {
  const timer = new AbortController()
  const signal = hurry ? AbortSignal.any([timer.signal, hurry]) : timer.signal
  try {
    return await Promise.race([work.then(() => true), clock.sleep(limitMs, signal).then(() => false)])
  } finally {
    timer.abort()
  }
}
