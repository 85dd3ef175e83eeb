import type { Asker } from './cache/table-watch.ts'
import type { RunStatement } from './run-statement.ts'
import type { KnownTypes } from './sql/chart.ts'
import { type QuerySource, tableOf } from './sql/query-source.ts'

/** A part of a tile, and the SQL expressions whose types it needs. */
interface Typed {
  source: QuerySource
  wanted: ReadonlySet<string>
}

export interface ExpressionTypes {
  /** Builds the parts of a tile, again where it must know more types. */
  complete<T extends Typed>(asker: Asker, build: (types: KnownTypes) => T[]): Promise<T[]>
}

/** The types of so many expressions are remembered. */
const most = 2_000

/** Asks the engine for the type of an SQL expression, once as long as the table has the same columns. */
export function createExpressionTypes(run: RunStatement): ExpressionTypes {
  const known = new Map<string, string>()
  const prefixOf = ({ serviceId, database, table, columns }: QuerySource): string =>
    JSON.stringify([serviceId, database, table, columns])

  async function typeOf(source: QuerySource, expression: string, asker: Asker): Promise<string> {
    const key = `${prefixOf(source)} ${expression}`
    const found = known.get(key)
    if (found !== undefined) return found
    const { serviceId, database } = source
    const sql = `SELECT ${expression} FROM ${tableOf(source)} WHERE false LIMIT 0`
    const { columns } = await run({ ...asker, serviceId, database, sql })
    const type = columns[0]?.type ?? ''
    if (known.size >= most) known.clear()
    known.set(key, type)
    return type
  }

  return {
    async complete(asker, build) {
      const types = new Map<QuerySource, Map<string, string>>()
      const parts = build(() => new Map())
      const missing = parts.filter(({ wanted }) => wanted.size > 0)
      if (missing.length === 0) return parts
      for (const { source, wanted } of missing) {
        const own = new Map<string, string>()
        for (const expression of wanted) own.set(expression, await typeOf(source, expression, asker))
        types.set(source, own)
      }
      return build((source) => types.get(source) ?? new Map())
    },
  }
}
