import type { Clock } from '../../lib/clock.ts'
import type { Replica } from './routes.ts'

/**
 * Statements of one kind whose effect readers see later than the writer, because they follow it with a lag. From the
 * beginning of such a statement until a reader has seen its end, that reader may be behind. One entry is kept for each
 * warehouse that ever had such a statement.
 */
export interface Unseen {
  /** Called before the statement is sent; the returned function must be called when it has ended in any way. */
  begin(warehouseId: string): () => void
  /** Whether one of these replicas may not have seen the end of the last statement yet. */
  isUnseen(warehouseId: string, replicas: readonly Replica[]): boolean
}

export function createUnseen(clock: Clock): Unseen {
  const last = new Map<string, { running: number; endedAtMs: number }>()
  return {
    begin(warehouseId) {
      const statement = last.get(warehouseId) ?? { running: 0, endedAtMs: 0 }
      last.set(warehouseId, statement)
      statement.running += 1
      return () => {
        statement.running -= 1
        statement.endedAtMs = clock.now()
      }
    },
    isUnseen(warehouseId, replicas) {
      const statement = last.get(warehouseId)
      if (!statement) return false
      if (statement.running > 0) return true
      return replicas.some(({ canWrite, seesUntilMs }) => !canWrite && seesUntilMs <= statement.endedAtMs)
    },
  }
}
