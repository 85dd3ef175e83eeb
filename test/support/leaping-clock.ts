import type { Clock } from '../../src/lib/clock.ts'

/** For tests with real sockets: short sleeps return at once and move this clock by their length. */
export interface LeapingClock extends Clock {
  /** The short sleeps, in milliseconds. */
  slept: number[]
}

/** Sleeps longer than `patienceMs` are time limits: they end only when their signal aborts. */
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
