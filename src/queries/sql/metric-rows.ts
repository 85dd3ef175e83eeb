import type { MetricDataType } from '../../domain/dashboard/types.ts'
import { quoteIdentifier, quoteString } from '../../lib/clickhouse/identifiers.ts'
import { parseColumnType } from '../../lib/where/column-type.ts'
import { type QuerySource, type TimeSpan, tableOf } from './query-source.ts'
import type { TimeColumn } from './time-column.ts'

/**
 * Turns the samples of a metric into one row for each of its series (sets of labels) and bucket, over which the
 * aggregate of a tile's series then runs:
 * - gauge: the last value;
 * - sum: the increase. A fall is a restart from 0; each step counts where it ends; the base is the last sample of
 *   the hour before the range, else the first sample. With `delta` the values are added;
 * - histogram: the same for each of its counts.
 */
export interface MetricQuery {
  source: QuerySource
  time: TimeColumn
  span: TimeSpan
  /** Null = the chart has no time axis. */
  bucket: string | null
  groups: readonly string[]
  name: string
  kind: MetricDataType
  /** Filters of the series; '' = none. */
  wheres: readonly string[]
}

/** The columns of such rows; groups are numbered. */
export const metricRow = {
  series: 'granary_m',
  bucket: 'granary_mb',
  /** The last value, or the increase. */
  value: 'granary_mv',
  /** Of histograms: upper bounds, and the increase of the count below each. */
  bounds: 'granary_mk',
  /** Number of samples, and the time of the last one. */
  samples: 'granary_mn',
  time: 'granary_mt',
  group: (index: number): string => `granary_mg${index}`,
}

const baseMs = 3_600_000

/** Null = the source does not name the columns that this kind of metric needs. */
export function metricRows(query: MetricQuery, index: number): string | null {
  const { source, time, span, kind } = query
  const { metric } = source
  const hasColumns = kind === 'histogram' ? metric?.bounds && metric.counts : metric?.value
  if (!metric?.name || !hasColumns) return null
  const isStepwise = kind !== 'gauge' && metric.temporality === 'cumulative'
  const samples = samplesOf(query, isStepwise)
  const from = isStepwise ? stepsOf(samples, kind, time, span) : `(${samples})`
  const keys = [...(query.bucket === null ? [] : [metricRow.bucket]), ...groupNames(query), 'granary_ml']
  const values =
    kind === 'histogram'
      ? [`any(granary_k) AS ${metricRow.bounds}`, `sumForEach(granary_x) AS ${metricRow.value}`]
      : [`${kind === 'gauge' ? 'argMax(granary_x, granary_t)' : 'sum(granary_x)'} AS ${metricRow.value}`]
  // Histograms of one series may change their bounds.
  if (kind === 'histogram') keys.push('granary_k')
  const parts = [
    `${index} AS ${metricRow.series}`,
    ...keys.filter((key) => key !== 'granary_ml' && key !== 'granary_k'),
    ...values,
    `count() AS ${metricRow.samples}`,
    `max(granary_t) AS ${metricRow.time}`,
  ]
  return `SELECT ${parts.join(', ')} FROM ${from} GROUP BY ${keys.join(', ')}`
}

const groupNames = ({ groups }: MetricQuery): string[] => groups.map((_, i) => metricRow.group(i))

function samplesOf(
  { source, time, span, bucket, groups, name, kind, wheres }: MetricQuery,
  isStepwise: boolean,
): string {
  const { metric } = source
  const read = isStepwise ? { startMs: span.startMs - baseMs, endMs: span.endMs } : span
  const floats = (column: string): string => `arrayMap(x -> toFloat64(x), ${quoteIdentifier(column)})`
  const value =
    kind === 'histogram'
      ? [`${floats(metric?.counts ?? '')} AS granary_x`, `${floats(metric?.bounds ?? '')} AS granary_k`]
      : [`toFloat64(${quoteIdentifier(metric?.value ?? '')}) AS granary_x`]
  const parts = [
    ...(bucket === null ? [] : [`${bucket} AS ${metricRow.bucket}`]),
    ...groups.map((sql, i) => `${sql} AS ${metricRow.group(i)}`),
    ...value,
    `${time.name} AS granary_t`,
    `${labelsOf(source)} AS granary_ml`,
  ]
  const filters = [
    time.within(read),
    `${quoteIdentifier(metric?.name ?? '')} = ${quoteString(name)}`,
    ...wheres.filter((where) => where !== ''),
    ...(kind === 'histogram' ? [] : [`isNotNull(${quoteIdentifier(metric?.value ?? '')})`]),
  ]
  return `SELECT ${parts.join(', ')} FROM ${tableOf(source)} WHERE ${filters.join(' AND ')}`
}

/** One value that tells the series of a metric apart. */
function labelsOf({ metric, columns }: QuerySource): string {
  const labels = (metric?.labels ?? []).map((name) => {
    const type = parseColumnType(columns.find((column) => column.name === name)?.type ?? '')
    const quoted = quoteIdentifier(name)
    return type.kind === 'map' ? `toString(mapSort(${quoted}))` : `toString(${quoted})`
  })
  return labels.length === 0 ? `''` : labels.length === 1 ? (labels[0] ?? '') : `(${labels.join(', ')})`
}

function stepsOf(samples: string, kind: MetricDataType, time: TimeColumn, span: TimeSpan): string {
  const over =
    'OVER (PARTITION BY granary_ml ORDER BY granary_t, granary_x ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)'
  const isArray = kind === 'histogram'
  const before = isArray ? `lagInFrame(granary_x) ${over}` : `lagInFrame(toNullable(granary_x)) ${over}`
  // A histogram whose number of bounds changed has begun anew.
  const step = isArray
    ? `multiIf(empty(granary_p), arrayMap(x -> 0., granary_y), length(granary_p) != length(granary_y) OR arrayExists((x, p) -> x < p, granary_y, arrayResize(granary_p, length(granary_y))), granary_y, arrayMap((x, p) -> x - p, granary_y, arrayResize(granary_p, length(granary_y))))`
    : 'multiIf(isNull(granary_p), 0., granary_y < granary_p, granary_y, granary_y - assumeNotNull(granary_p))'
  const windows = `SELECT * EXCEPT granary_x, granary_x AS granary_y, ${before} AS granary_p FROM (${samples})`
  return `(SELECT *, ${step} AS granary_x FROM (${windows}) WHERE ${time.within(span, 'granary_t')})`
}
