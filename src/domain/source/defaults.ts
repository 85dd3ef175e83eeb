import { type ColumnType, parseColumnType } from '../../lib/where/column-type.ts'
import type { MetricColumns, SourceKind, TableDescription } from './types.ts'

/** The first DateTime of the sorting key, else of the table, else the first Date; null = the table has none. */
export function defaultTimestamp({ columns, sortingKey }: TableDescription): string | null {
  const times = columns.filter(({ type }) => kindOf(type) === 'time').map(({ name }) => name)
  const inKey = sortingKey.find((name) => times.includes(name))
  return inKey ?? times[0] ?? columns.find(({ type }) => kindOf(type) === 'date')?.name ?? null
}

/** The text column whose name is the first of these; '' = none. */
export function defaultImplicit({ columns }: TableDescription): string {
  for (const wanted of ['body', 'message', 'msg', 'log', 'text']) {
    const found = columns.find(({ name, type }) => name.toLowerCase() === wanted && isText(type))
    if (found) return found.name
  }
  return ''
}

/** Names that people use whatever the column is called. A column of exactly that name needs no alias. */
export function defaultAliases(
  { columns }: TableDescription,
  implicitColumn: string,
): Record<string, string> {
  const names = columns.map(({ name }) => name)
  const aliases: Record<string, string> = {}
  for (const [alias, candidates] of Object.entries(wellKnown)) {
    if (names.includes(alias)) continue
    const found = candidates
      .map((candidate) => names.find((name) => plain(name) === candidate))
      .find((name) => name !== undefined)
    if (found !== undefined) aliases[alias] = found
  }
  if (implicitColumn !== '' && !names.includes('message')) aliases['message'] = implicitColumn
  return aliases
}

/** The columns that OpenTelemetry's tables have, those that exist. */
export function defaultMetric({ columns }: TableDescription): MetricColumns {
  const has = (name: string) => columns.some((column) => column.name === name)
  return {
    ...(has('MetricName') && { name: 'MetricName' }),
    ...(has('Value') && { value: 'Value' }),
    labels: ['ServiceName', 'Attributes'].filter(has),
    ...(has('ExplicitBounds') && { bounds: 'ExplicitBounds' }),
    ...(has('BucketCounts') && { counts: 'BucketCounts' }),
    temporality: 'cumulative',
  }
}

/** A table with names and values of metrics is one of metrics. */
export function proposedKind(table: TableDescription): SourceKind {
  const { name, value, counts } = defaultMetric(table)
  return name !== undefined && (value !== undefined || counts !== undefined) ? 'metrics' : 'events'
}

const wellKnown = {
  level: ['level', 'severity', 'severitytext', 'loglevel'],
  service: ['service', 'servicename', 'app'],
  duration: ['duration', 'durationms', 'elapsed', 'latency'],
  host: ['host', 'hostname'],
}

const plain = (name: string): string => name.toLowerCase().replaceAll('_', '')
const kindOf = (type: string): ColumnType['kind'] => parseColumnType(type).kind
export const isText = (type: string): boolean => kindOf(type) === 'text'
export const isTime = (type: string): boolean => ['time', 'date'].includes(kindOf(type))
