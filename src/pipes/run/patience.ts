import { backoffMs } from '../../lib/backoff.ts'
import type { Clock } from '../../lib/clock.ts'

/** How long one peer of a pipe may fail before the pipe gives up. */
export interface Patience {
  /** Records a failure. Resolves with the wait before the next try; null = it has failed for too long. */
  failed(message: string): number | null
  /** The peer works: the next failure is the first again. */
  worked(): void
  /** The failure that lasts; null = there is none. */
  readonly problem: { message: string; sinceMs: number; nextTryAtMs: number } | null
}

export interface PatienceLimits {
  limitMs: number
  backoff: { baseMs: number; maxMs: number }
}

export function createPatience(
  { limitMs, backoff }: PatienceLimits,
  clock: Clock,
  random: () => number = Math.random,
): Patience {
  let problem: Patience['problem'] = null
  let failures = 0
  return {
    failed(message) {
      const nowMs = clock.now()
      const sinceMs = problem?.sinceMs ?? nowMs
      failures += 1
      // At least half of the ceiling, because full jitter could mean no wait at all.
      const waitMs = backoffMs(failures, { ...backoff, random: () => 0.5 + random() / 2 })
      problem = { message, sinceMs, nextTryAtMs: nowMs + waitMs }
      return nowMs - sinceMs >= limitMs ? null : waitMs
    },
    worked() {
      failures = 0
      problem = null
    },
    get problem() {
      return problem
    },
  }
}
