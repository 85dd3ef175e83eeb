/**
 * Remembers which statement shapes have small results. The engine formats such results with one thread and holds them in
 * memory instead of writing them into a FIFO: several threads and a FIFO serve large results, but cost a small one more
 * than the rest of its work. The first results of a shape count as large, and so do those right after a large one.
 */
export interface ResultSizes {
  isSmall(sql: string): boolean
  note(sql: string, bytes: number): void
}

const smallBytes = 64 * 1024
/** After this many small results in a row the shape counts as small. */
const enough = 2
const maxShapes = 1_000
/** Longer statements take so much time that the savings do not matter. */
const maxLength = 2_000

export function createResultSizes(): ResultSizes {
  /** The number of small results in a row by shape, the least recently used shape first. */
  const inRow = new Map<string, number>()
  return {
    isSmall: (sql) => sql.length <= maxLength && (inRow.get(shapeOf(sql)) ?? 0) >= enough,
    note(sql, bytes) {
      if (sql.length > maxLength) return
      const shape = shapeOf(sql)
      const count = bytes <= smallBytes ? Math.min(enough, (inRow.get(shape) ?? 0) + 1) : 0
      inRow.delete(shape)
      inRow.set(shape, count)
      const [oldest = ''] = inRow.keys()
      if (inRow.size > maxShapes) inRow.delete(oldest)
    },
  }
}

/** The statement with its literals replaced. */
const shapeOf = (sql: string): string => sql.replaceAll(/'(?:[^'\\]|\\.)*'|\b\d[\w.]*/gs, '?')
