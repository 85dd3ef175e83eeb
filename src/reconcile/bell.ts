import type { Clock } from '../lib/clock.ts'

/** Wakes the one waiter. A ring without a waiter is kept for the next wait; several rings count as one. */
export interface Bell {
  ring(): void
  wait(ms: number): Promise<void>
}

export function createBell(clock: Clock): Bell {
  let rung = false
  let waiting: AbortController | undefined
  return {
    ring() {
      rung = true
      // A plain string as the reason: the default is an exception with a stack, made for every ring.
      waiting?.abort('rung')
    },
    async wait(ms) {
      if (!rung) {
        waiting = new AbortController()
        await clock.sleep(Math.max(0, ms), waiting.signal)
        waiting = undefined
      }
      rung = false
    },
  }
}
