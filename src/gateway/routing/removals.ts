import type { Clock } from '../../lib/clock.ts'
import type { Replica } from './routes.ts'

/**
 * Statements that may remove rows: TRUNCATE, DROP PARTITION and the like. A reader finds new parts and loses
 * dropped ones at different moments, so for a while it may show old and new rows together: a state that never
 * existed. From the beginning of such a statement until a reader has seen its end, all clients read the
 * warehouse at its writer. One entry is kept for each warehouse that ever had such a statement.
 */
export interface Removals {
  /** Called before the statement is sent; the returned function must be called when it has ended in any way. */
  begin(warehouseId: string): () => void
  /** Whether one of these replicas may not have seen the end of the last removal yet. */
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
