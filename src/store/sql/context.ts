import { type CompiledQuery, type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import type { Page } from '../store.ts'
import type { Database } from './schema.ts'
import type { DirectRead } from './sqlite-dialect.ts'

export type Dialect = 'sqlite' | 'postgres'

/** What every repository works with: the connection (or transaction), and where the two databases differ. */
export interface SqlContext {
  db: Kysely<Database>
  dialect: Dialect
  inTransaction: boolean
  clock: Clock
  /** Present where a select outside a transaction can be run at once. */
  read?: DirectRead
}

/**
 * The time by which leases and due times are judged. Several control planes share a PostgreSQL, so there the
 * database's clock is the only one; SQLite has one machine and takes the program's.
 */
export function databaseNow({ dialect, clock }: Pick<SqlContext, 'dialect' | 'clock'>): RawBuilder<number> {
  return dialect === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(${clock.now()} as integer)`
}

/** Rows that a transaction is about to change are locked; SQLite's transactions hold the write lock anyway. */
export function locked<T extends SelectQueryBuilder<Database, never, unknown>>(
  context: SqlContext,
  query: T,
): T {
  return context.inTransaction && context.dialect === 'postgres' ? (query.forUpdate() as T) : query
}

/**
 * Compiles a query once and runs it many times. Building a query costs more than running it on SQLite, so
 * what every request does is prepared.
 */
export function prepare<const Names extends readonly string[], Row>(
  context: SqlContext,
  names: Names,
  build: (parameter: Record<Names[number], string>) => { compile(): CompiledQuery<Row> },
): (values: Record<Names[number], string>) => Promise<Row | undefined> {
  const placeholder = (name: string) => `\u0001${name}`
  const marks = Object.fromEntries(names.map((name) => [name, placeholder(name)])) as Record<
    Names[number],
    string
  >
  let compiled: CompiledQuery<Row> | undefined
  // Which of the query's parameters are ours; the others are constants of the query.
  let positions: (Names[number] | undefined)[] = []
  return async (values) => {
    if (!compiled) {
      compiled = build(marks).compile()
      positions = compiled.parameters.map((value) => names.find((name) => placeholder(name) === value))
    }
    const constants = compiled.parameters
    const parameters = positions.map((name, index) => (name === undefined ? constants[index] : values[name]))
    const query: CompiledQuery<Row> = { ...compiled, parameters }
    if (context.read && !context.inTransaction) return context.read(query)[0]
    return (await context.db.executeQuery<Row>(query)).rows[0]
  }
}

/** Restricts a list that is ordered by (time, id) to one page. */
export function paged<O>(
  query: SelectQueryBuilder<Database, never, O>,
  columns: { time: string; id: string },
  page: Page,
  direction: 'asc' | 'desc',
): SelectQueryBuilder<Database, never, O> {
  const time = sql.ref(columns.time)
  const id = sql.ref(columns.id)
  const sign = direction === 'asc' ? sql`>` : sql`<`
  let paged = query.orderBy(time, direction).orderBy(id, direction)
  const { after, limit } = page
  if (after) paged = paged.where(sql<boolean>`(${time}, ${id}) ${sign} (${after.atMs}, ${after.id})`)
  if (limit !== undefined) paged = paged.limit(limit)
  return paged
}
