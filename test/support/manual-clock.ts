import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../src/lib/clock.ts'

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /**
   * Moves time forward and wakes the sleepers on the way, earliest first, each at its own time. Before, between
   * and after, everything that waits only on promises and commits runs.
   */
  advance(ms: number): Promise<void>
  /** How many sleeps are pending. */
  sleepers(): number
}

interface Sleeper {
  atMs: number
  wake(): void
}

export function createManualClock(startMs = 0): ManualClock {
  let nowMs = startMs
  // Sorted by wake time; sleepers with the same time in the order of their calls.
  const sleepers: Sleeper[] = []

  const remove = (sleeper: Sleeper) => {
    const index = sleepers.indexOf(sleeper)
    if (index >= 0) sleepers.splice(index, 1)
  }

  return {
    now: () => nowMs,
    sleepers: () => sleepers.length,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const wake = () => {
          remove(sleeper)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        const sleeper: Sleeper = { atMs: nowMs + Math.max(0, ms), wake }
        const later = sleepers.findIndex((other) => other.atMs > sleeper.atMs)
        sleepers.splice(later < 0 ? sleepers.length : later, 0, sleeper)
        signal?.addEventListener('abort', wake, { once: true })
      }),
    async advance(ms) {
      const untilMs = nowMs + ms
      await promisesSettled()
      for (let next = sleepers[0]; next && next.atMs <= untilMs; next = sleepers[0]) {
        nowMs = next.atMs
        next.wake()
        await promisesSettled()
      }
      nowMs = untilMs
    },
  }
}

/** A store commits at the end of an event loop turn, and one step may wait for several commits in a row. */
const turns = 25

/** The event loop takes its next turn only when no promise reaction is left to run. */
async function promisesSettled(): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await setImmediate()
}
