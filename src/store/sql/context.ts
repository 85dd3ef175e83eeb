import {
  type CompiledQuery,
  type Kysely,
  type QueryResult,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
} from 'kysely'
import type { ResourceChange } from '../../domain/change/types.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Page } from '../store.ts'
import type { Database } from './schema.ts'
import { isSelect } from './sqlite-connection.ts'
import type { DirectRun } from './sqlite-dialect.ts'

export type Dialect = 'sqlite' | 'postgres'

/**
 * What every repository needs: the connection (or transaction), and the differences between the two databases.
 */
export interface SqlContext {
  db: Kysely<Database>
  dialect: Dialect
  inTransaction: boolean
  clock: Clock
  plans: Plans
  /** Tells of a changed resource; in a transaction, when it has committed. */
  changed(change: ResourceChange): void
  /** Present where a prepared query can run without Kysely's promises. */
  direct?: DirectRun
}

/**
 * The clock for leases and due times. Several control planes share a PostgreSQL, so there the database's clock
 * is used; SQLite is on one machine and uses the program's clock.
 */
export function databaseNow(
  { dialect, clock }: Pick<SqlContext, 'dialect' | 'clock'>,
  /** The program's time, for a prepared query. */
  parameter: number = clock.now(),
): RawBuilder<number> {
  return dialect === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(${parameter} as integer)`
}

/** Locks the rows that a transaction is about to change; SQLite's transactions hold the write lock anyway. */
export function locked<T extends SelectQueryBuilder<Database, never, unknown>>(
  context: SqlContext,
  query: T,
): T {
  return context.inTransaction && context.dialect === 'postgres' ? (query.forUpdate() as T) : query
}

/** A parameter of a prepared query. */
export type Value = string | number | null

/** A compiled query, and which of its parameters are set at run time; the others are constants of the query. */
interface Plan {
  compiled: CompiledQuery<unknown>
  isSelect: boolean
  positions: (string | undefined)[]
}

/** Compiled queries by name. Transactions lock rows, so they share no plans with calls outside of them. */
export type Plans = Map<string, Plan>

/**
 * Compiles a query once and runs it many times: building a query costs more than running it on SQLite, so the
 * queries of every request are prepared. `build` gets a placeholder for each parameter.
 */
export function prepare<const Names extends readonly string[], Row>(
  context: SqlContext,
  name: string,
  names: Names,
  build: (parameter: Record<Names[number], never>) => CompiledQuery<Row>,
): (values: Record<Names[number], Value>) => QueryResult<Row> | Promise<QueryResult<Row>> {
  const find = (): Plan => {
    const known = context.plans.get(name)
    if (known) return known
    const standIn = (parameter: string) => `\u0001${parameter}`
    const standIns = Object.fromEntries(names.map((parameter) => [parameter, standIn(parameter)]))
    const compiled = build(standIns as Record<Names[number], never>)
    const positions = compiled.parameters.map((value) =>
      names.find((parameter) => standIn(parameter) === value),
    )
    const plan: Plan = { compiled, positions, isSelect: isSelect(compiled) }
    context.plans.set(name, plan)
    return plan
  }
  return (values) => {
    const { compiled, positions, isSelect } = find()
    const parameters = positions.map((parameter, index) =>
      parameter === undefined ? compiled.parameters[index] : values[parameter as Names[number]],
    )
    const query = { ...compiled, parameters } as CompiledQuery<Row>
    const { db, direct, inTransaction } = context
    if (direct && inTransaction) return direct.inTransaction(query)
    if (direct && isSelect) return direct.select(query)
    return db.executeQuery<Row>(query)
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

/**
 * Parses a JSON column and caches the value as long as the text stays the same, because the same few rows are
 * read again and again. `read` turns the stored form into the value, where they differ. Values are shared and must not be mutated; records are copied before a change.
 */
export function createParser<T, Stored = T>(
  read: (stored: Stored) => T = (stored) => stored as unknown as T,
): (id: string, text: string) => T {
  const known = new Map<string, { text: string; value: T }>()
  return (id, text) => {
    const last = known.get(id)
    if (last?.text === text) return last.value
    const value = read(JSON.parse(text) as Stored)
    if (known.size >= 1_000) known.clear()
    known.set(id, { text, value })
    return value
  }
}
