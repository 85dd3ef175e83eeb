import type { MetricColumns } from '../../domain/source/types.ts'
import { quoteIdentifier } from '../../lib/clickhouse/identifiers.ts'
import type { WhereSource } from '../../lib/where/fields.ts'

/** A source together with the columns of its table. */
export interface QuerySource extends WhereSource {
  serviceId: string
  database: string
  table: string
  timestampColumn: string
  metric?: MetricColumns
  /** Rows replace or cancel earlier ones of their key: what counts is what is left of them. */
  replacesRows?: boolean
}

/** Milliseconds since 1970 UTC; the end is exclusive. */
export interface TimeSpan {
  startMs: number
  endMs: number
}

export const tableOf = ({
  database,
  table,
  replacesRows = false,
}: Pick<QuerySource, 'database' | 'table' | 'replacesRows'>): string =>
  `${quoteIdentifier(database)}.${quoteIdentifier(table)}${replacesRows ? ' FINAL' : ''}`
