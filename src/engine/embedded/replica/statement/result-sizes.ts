/**
 * Remembers of which shapes of statements the results were small. The engine is told not to format these with several
 * threads, and to hold them in memory instead of writing them into a FIFO: both serve large results, and cost a small
 * one more than all else that it takes. The first results of a shape are taken for large ones, and so are those behind
 * a large one.
 */
export interface ResultSizes {
  isSmall(sql: string): boolean
  note(sql: string, bytes: number): void
}

const smallBytes = 64 * 1024
/** So many small ones in a row. */
const enough = 2
const maxShapes = 1_000
/** What is longer takes its time anyway. */
const maxLength = 2_000

export function createResultSizes(): ResultSizes {
  /** How many in a row were small; the shapes used last are at the end. */
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

/** The statement without its values. */
const shapeOf = (sql: string): string => sql.replaceAll(/'(?:[^'\\]|\\.)*'|\b\d[\w.]*/gs, '?')
