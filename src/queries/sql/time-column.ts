import { quoteIdentifier } from '../../lib/clickhouse/identifiers.ts'
import { type ColumnType, parseColumnType } from '../../lib/where/column-type.ts'
import { orderedCondition } from '../../lib/where/ordered-condition.ts'
import type { QuerySource, TimeSpan } from './query-source.ts'

/** The time column of a source: which rows lie in a range, and in which bucket each lies. */
export interface TimeColumn {
  name: string
  type: ColumnType
  /** True for the rows within the span; the column stands bare, so that keys and indexes serve it. */
  within(span: TimeSpan, column?: string): string
  /** The number of the bucket since 1970 UTC. For rows from 1970 on, `isEarly: false`, the engine has less to compute. */
  bucket(stepMs: number, isEarly: boolean): string
}

/** Null = the table has no such column, or it holds no times. */
export function timeColumnOf({ columns, timestampColumn }: QuerySource): TimeColumn | null {
  const column = columns.find(({ name }) => name === timestampColumn)
  const type = parseColumnType(column?.type ?? '')
  if (type.kind !== 'time' && type.kind !== 'date') return null
  const name = quoteIdentifier(timestampColumn)
  const present = type.isNullable ? `assumeNotNull(${name})` : name
  return {
    name,
    type,
    within: ({ startMs, endMs }, column = name) =>
      orderedCondition(column, type, {
        ...{ kind: 'range', at: 0, includesLow: true, includesHigh: false },
        low: { kind: 'word', text: String(startMs), at: 0 },
        high: { kind: 'word', text: String(endMs), at: 0 },
      }).sql,
    bucket: (stepMs, isEarly) => bucketOf(present, type, stepMs, isEarly),
  }
}

function bucketOf(x: string, type: ColumnType, stepMs: number, isEarly: boolean): string {
  const stepSeconds = stepMs / 1000
  if (type.kind === 'time' && type.digits === null) return `intDiv(toUnixTimestamp(${x}), ${stepSeconds})`
  if (type.kind === 'date') return `toInt64(floor(toInt32(${x}) * 86400 / ${stepSeconds}))`
  const ms = `toUnixTimestamp64Milli(${x})`
  if (!isEarly) return `intDiv(${ms}, ${stepMs})`
  // Times before 1970 are negative, and intDiv would round them up.
  return `intDiv(${ms} - positiveModulo(${ms}, ${stepMs}), ${stepMs})`
}
