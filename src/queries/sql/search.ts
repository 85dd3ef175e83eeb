import { quoteIdentifier } from '../../lib/clickhouse/identifiers.ts'
import type { ColumnType } from '../../lib/where/column-type.ts'
import { ticksOf } from '../../lib/where/ticks.ts'
import { contextOf, type KnownTypes } from './chart.ts'
import { compileFilter, compileRequestFilter } from './compile-series.ts'
import { readGroup, type UserSql } from './field.ts'
import { type QuerySource, tableOf } from './query-source.ts'
import { seriesError, type TileQuery } from './tile.ts'
import type { TimeColumn } from './time-column.ts'

/**
 * Rows, newest first. Rows of one time are ordered by a hash of all their columns, so a page ends at a time, a
 * hash, and how many rows with both were given already: such rows are equal, and which of them were given makes
 * no difference. Rows that are added later sort before that position, or were not given yet.
 */
export interface Search {
  source: QuerySource
  /** Keys of the answer's rows, in the order of the statement's first columns. */
  names: readonly string[]
  english: string
  userSql: readonly UserSql[]
  statement(limit: number, after: Position | null): string
  /** The time of a row, in ticks of its column, from the statement's last columns. */
  tickOf(shown: unknown): string
}

/** The last row of a page. */
export interface Position {
  /** Its time, in ticks of the column. */
  tick: string
  hash: string
  /** How many rows with this time and hash were given. */
  given: number
}

export function compileSearch(tile: TileQuery, types: KnownTypes): Search {
  const [first] = tile.series
  if (first === undefined) throw seriesError(['series'], 'required', 'a series is missing')
  const { source, series, index } = first
  const context = contextOf(tile, first, types)
  const names = series.fields?.length ? series.fields : source.columns.map(({ name }) => name)
  const values = series.fields?.length
    ? names.map((name, i) => readGroup(name, ['series', index, 'fields', i], context))
    : names.map(quoteIdentifier)
  const filter = compileFilter(first, tile, context)
  const request = compileRequestFilter(tile, context).sql
  const { timeColumn: time } = context
  const filters = [time.within(tile.span), request, filter.sql].filter((part) => part !== '')
  const about = { source, time, values, filters }
  return {
    ...{ source, names, english: filter.english, userSql: context.userSql },
    statement: (limit, after) => statementOf(about, limit, after),
    tickOf: (shown) => tickOf(String(shown), time.type),
  }
}

interface About {
  source: QuerySource
  time: TimeColumn
  values: readonly string[]
  filters: readonly string[]
}

function statementOf(
  { source, time, values, filters }: About,
  limit: number,
  after: Position | null,
): string {
  const table = tableOf(source)
  const hashed = source.columns.filter(({ type }) => !type.includes('AggregateFunction'))
  const hash = `cityHash64(toString(tuple(${hashed.map(({ name }) => quoteIdentifier(name)).join(', ')})))`
  const last = after === null ? null : (ticksOf(time.type)?.literal(BigInt(after.tick)) ?? '')
  const before = last === null ? [] : [`${time.name} < ${last}`]
  // Only times are read to find where the page ends at the latest; the other columns are read from there on.
  const times = `SELECT ${time.name} AS granary_t FROM ${table} WHERE ${[...filters, ...before].join(' AND ')} ORDER BY ${time.name} DESC LIMIT ${limit}`
  const from = `${time.name} >= coalesce((SELECT minOrNull(granary_t) FROM (${times})), ${last ?? time.name})`
  const next =
    last === null ? [] : [`${time.name} <= ${last}`, `(${time.name} < ${last} OR ${hash} <= ${after?.hash})`]
  const parts = [
    ...values.map((sql, i) => `${sql} AS granary_f${i}`),
    `${unitsOf(time)} AS granary_u`,
    `${hash} AS granary_h`,
  ]
  const where = [...filters, from, ...next].join(' AND ')
  const offset = after === null ? '' : ` OFFSET ${after.given}`
  return `SELECT ${parts.join(', ')} FROM ${table} WHERE ${where} ORDER BY ${time.name} DESC, granary_h DESC LIMIT ${limit}${offset}`
}

/** The time of a row as an integer: days, seconds, or the unit of the engine's functions that is fine enough. */
function unitsOf({ name, type }: TimeColumn): string {
  if (type.kind === 'date') return `toInt32(${name})`
  const digits = type.kind === 'time' ? type.digits : null
  return digits === null ? `toUnixTimestamp(${name})` : `toUnixTimestamp64${unitFor(digits).name}(${name})`
}

const unitFor = (digits: number) =>
  digits <= 3
    ? { name: 'Milli', digits: 3 }
    : digits <= 6
      ? { name: 'Micro', digits: 6 }
      : { name: 'Nano', digits: 9 }

function tickOf(units: string, type: ColumnType): string {
  const digits = type.kind === 'time' ? type.digits : null
  if (digits === null) return units
  return String(BigInt(units) / 10n ** BigInt(unitFor(digits).digits - digits))
}
