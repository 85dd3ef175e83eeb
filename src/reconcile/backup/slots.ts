import type { Clock } from '../../lib/clock.ts'

/** Limits how many backups run at once. A backup keeps its slot as long as it is looked at now and then. */
export interface Slots {
  /** True = the backup may go on. Called at every look, which also keeps the slot. */
  take(id: string): boolean
  free(id: string): void
}

/** A backup that was not looked at for this long runs elsewhere, or waits after a failure. */
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
