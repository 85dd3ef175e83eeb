import type { Clock } from '../../src/lib/clock.ts'

/** For tests that talk over real sockets: short sleeps take no time at all, and move this clock by their length. */
export interface LeapingClock extends Clock {
  /** The short sleeps, in milliseconds. */
  slept: number[]
}

/** Sleeps longer than `patienceMs` are time limits: they end only when their signal says so. */
export function createLeapingClock({ startMs = 0, patienceMs = 20_000 } = {}): LeapingClock {
  let nowMs = startMs
  const slept: number[] = []
  return {
    slept,
    now: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        signal?.addEventListener('abort', () => resolve(), { once: true })
        if (ms > patienceMs) return
        nowMs += ms
        slept.push(ms)
        setImmediate(resolve)
      }),
  }
}
