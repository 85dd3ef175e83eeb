import type { Clock } from '../../lib/clock.ts'

/** Null = the time came first. */
export async function within<T>(promise: Promise<T>, untilMs: number, clock: Clock): Promise<T | null> {
  if (untilMs === Number.POSITIVE_INFINITY) return promise
  const over = new AbortController()
  const late = clock.sleep(Math.max(0, untilMs - clock.now()), over.signal).then(() => null)
  try {
    return await Promise.race([promise, late])
  } finally {
    over.abort()
  }
}
