export interface Backoff {
  /** Ceiling of the first wait; it doubles with every further attempt. */
  baseMs: number
  /** Ceiling of every wait. */
  maxMs: number
  /** 0 ≤ x < 1. */
  random: () => number
}

/**
 * How long to wait after the `attempt`-th failure in a row (1 = the first). Full jitter: anywhere between
 * nothing and the ceiling, so that callers that failed together do not come back together.
 */
export function backoffMs(attempt: number, { baseMs, maxMs, random }: Backoff): number {
  const ceilingMs = Math.min(maxMs, baseMs * 2 ** (Math.max(1, attempt) - 1))
  return Math.round(ceilingMs * random())
}
