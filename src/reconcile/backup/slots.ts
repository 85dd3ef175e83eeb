import type { Clock } from '../../lib/clock.ts'

/** Lets a few go on at once, each as long as it is looked at now and then. */
export interface Slots {
  /** True = it may go on; asked again each time. */
  take(id: string): boolean
  free(id: string): void
}

/** One that was not looked at for so long goes on elsewhere, or waits after a failure. */
const abandonedMs = 60_000

export function createSlots(clock: Clock, limit: number): Slots {
  const taken = new Map<string, number>()
  return {
    take(id) {
      const nowMs = clock.now()
      for (const [other, atMs] of taken) if (nowMs - atMs > abandonedMs) taken.delete(other)
      if (!taken.has(id) && taken.size >= limit) return false
      taken.set(id, nowMs)
      return true
    },
    free: (id) => void taken.delete(id),
  }
}
