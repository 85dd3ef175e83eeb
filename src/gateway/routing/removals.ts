import type { Clock } from '../../lib/clock.ts'
import type { Replica } from './routes.ts'

/**
 * Statements that may take rows away: TRUNCATE, DROP PARTITION and their like. A reader finds new parts and loses
 * dropped ones at different moments, so for a while it may show rows of before beside rows of after: a state that
 * never was. From the beginning of such a statement until a reader has seen its end, the warehouse is read at its
 * writer, by every client. What is kept is one entry for each warehouse that was ever changed so.
 */
export interface Removals {
  /** Called before the statement is sent; the answer is called when it has ended, however it ended. */
  begin(warehouseId: string): () => void
  /** Whether one of these replicas may not have seen the end of the last removal. */
  isUnseen(warehouseId: string, replicas: readonly Replica[]): boolean
}

export function createRemovals(clock: Clock): Removals {
  const last = new Map<string, { running: number; endedAtMs: number }>()
  return {
    begin(warehouseId) {
      const removal = last.get(warehouseId) ?? { running: 0, endedAtMs: 0 }
      last.set(warehouseId, removal)
      removal.running += 1
      return () => {
        removal.running -= 1
        removal.endedAtMs = clock.now()
      }
    },
    isUnseen(warehouseId, replicas) {
      const removal = last.get(warehouseId)
      if (!removal) return false
      if (removal.running > 0) return true
      return replicas.some(({ canWrite, seesUntilMs }) => !canWrite && seesUntilMs <= removal.endedAtMs)
    },
  }
}
