import { quoteString } from '../../lib/clickhouse/identifiers.ts'
import { type Aggregate, callOf, mergeOf, stateOf } from './aggregate.ts'

/**
 * The statement behind a chart: all series of one source in one read of its table, with a shared GROUP BY.
 *
 * With groups it works in layers. The innermost aggregates by bucket and group; where all aggregates can be
 * merged, as states. Around it groups are ranked. The outermost merges all groups beyond the limit into one,
 * from their states, which gives the same as an aggregation of their rows. An expression of the user's own has
 * no states: then only the first groups are given, and the rest needs another statement (`excluded`), without groups.
 *
 * The names of its result begin with `granary_`, which no column of a table is expected to have.
 */
export interface ChartStatement {
  table: string
  /** Conditions that every row must meet. */
  filters: readonly string[]
  /** The number of a row's bucket; null = the chart has no time axis. */
  bucket: string | null
  /** Expressions of the groups. */
  groups: readonly string[]
  series: readonly ChartColumn[]
  /** How many groups are shown. */
  groupLimit: number
  rank: Rank
  /** Groups, as text, whose rows are left out; for the rest of the groups. */
  excluded?: readonly (readonly (string | null)[])[]
}

export interface ChartColumn {
  aggregate: Aggregate | { expression: string; empty: null; isFloat: boolean; isText: boolean }
  /** The series' own filter; '' = every row. */
  where: string
}

export interface Rank {
  by: 'first' | 'ratio' | 'rows'
  order: 'asc' | 'desc'
}

export const columns = {
  bucket: 'granary_b',
  place: 'granary_r',
  groups: 'granary_groups',
  group: (index: number): string => `granary_g${index}`,
  value: (index: number): string => `granary_v${index}`,
}

export function chartStatement(chart: ChartStatement): string {
  if (chart.groups.length === 0 || chart.excluded) return flatStatement(chart)
  return chart.series.every(isMergeable) ? mergingStatement(chart) : cuttingStatement(chart)
}

/** Whether the statement itself gives the rest of the groups. */
export const givesRest = (series: readonly ChartColumn[]): boolean => series.every(isMergeable)

const isMergeable = ({ aggregate }: ChartColumn): boolean => 'name' in aggregate

function flatStatement(chart: ChartStatement): string {
  const { where, conditions } = rowsOf(chart)
  const values = chart.series.map(
    (column, i) => `${finished(column, conditions[i] ?? '')} AS ${columns.value(i)}`,
  )
  // Beside an aggregate the engine refuses an expression that is none, and would give all rows.
  const isOwn = chart.bucket === null && !chart.series.every(isMergeable)
  if (isOwn) values.push('count() AS granary_n')
  const bucket = chart.bucket === null ? [] : [`${chart.bucket} AS ${columns.bucket}`]
  const by = chart.bucket === null ? '' : ` GROUP BY ${columns.bucket}`
  return `SELECT ${[...bucket, ...values].join(', ')} FROM ${chart.table}${where}${by}`
}

function mergingStatement(chart: ChartStatement): string {
  const { conditions } = rowsOf(chart)
  const inner = innerStatement(chart, (column, condition, i) =>
    'name' in column.aggregate ? `${stateOf(column.aggregate, condition)} AS granary_s${i}` : '',
  )
  const value = ({ aggregate }: ChartColumn, i: number): string =>
    'name' in aggregate ? aggregate.finish(`finalizeAggregation(granary_s${i})`) : ''
  const merged = chart.series.map(({ aggregate }, i) => {
    if (!('name' in aggregate)) return ''
    const result = mergeOf(aggregate, conditions[i] ?? '', `granary_s${i}`)
    return `${aggregate.finish(result)} AS ${columns.value(i)}`
  })
  const place = `least(granary_rank, ${chart.groupLimit + 1}) AS ${columns.place}`
  const groups = chart.groups.map((_, i) => `toString(any(granary_k${i})) AS ${columns.group(i)}`)
  const keys = [...(chart.bucket === null ? [] : [columns.bucket]), columns.place]
  const shown = [
    ...(chart.bucket === null ? [] : [columns.bucket]),
    ...[place, `any(granary_count) AS ${columns.groups}`],
    ...groups,
    ...merged,
  ]
  return `SELECT ${shown.join(', ')} FROM (${ranked(chart, inner, value)}) GROUP BY ${keys.join(', ')}`
}

function cuttingStatement(chart: ChartStatement): string {
  const inner = innerStatement(
    chart,
    (column, condition, i) => `${finished(column, condition)} AS ${columns.value(i)}`,
  )
  const shown = [
    ...(chart.bucket === null ? [] : [columns.bucket]),
    ...[`granary_rank AS ${columns.place}`, `granary_count AS ${columns.groups}`],
    ...chart.groups.map((_, i) => `toString(granary_k${i}) AS ${columns.group(i)}`),
    ...chart.series.map((_, i) => columns.value(i)),
  ]
  const from = ranked(chart, inner, (_, i) => columns.value(i))
  return `SELECT ${shown.join(', ')} FROM (${from}) WHERE granary_rank <= ${chart.groupLimit}`
}

function innerStatement(
  chart: ChartStatement,
  write: (column: ChartColumn, condition: string, index: number) => string,
): string {
  const { where, conditions } = rowsOf(chart)
  const parts = [
    ...(chart.bucket === null ? [] : [`${chart.bucket} AS ${columns.bucket}`]),
    ...chart.groups.map((sql, i) => `${sql} AS granary_k${i}`),
    ...chart.series.map((column, i) => write(column, conditions[i] ?? '', i)),
    ...(chart.rank.by === 'rows' ? ['count() AS granary_n'] : []),
  ]
  const keys = [...(chart.bucket === null ? [] : [columns.bucket]), ...keysOf(chart)]
  return `SELECT ${parts.join(', ')} FROM ${chart.table}${where} GROUP BY ${keys.join(', ')}`
}

const keysOf = ({ groups }: ChartStatement): string[] => groups.map((_, i) => `granary_k${i}`)

/** Adds the rank of each row's group, and the number of groups. */
function ranked(
  chart: ChartStatement,
  inner: string,
  value: (column: ChartColumn, index: number) => string,
): string {
  const { rank, series } = chart
  const valueAt = (i: number): string => (series[i] ? finiteOnly(series[i], value(series[i], i)) : 'NULL')
  const worth =
    rank.by === 'rows'
      ? 'granary_n'
      : rank.by === 'first'
        ? valueAt(0)
        : `if(${valueAt(1)} = 0, NULL, ${valueAt(0)} / ${valueAt(1)})`
  const most = rank.by === 'rows' ? 'sum' : 'max'
  const whole =
    chart.bucket === null ? worth : `${most}(${worth}) OVER (PARTITION BY ${keysOf(chart).join(', ')})`
  const ties = keysOf(chart).map((key) => `toString(${key}) ASC NULLS FIRST`)
  const order = [`granary_peak ${rank.order === 'asc' ? 'ASC' : 'DESC'} NULLS LAST`, ...ties].join(', ')
  const withPeak = `SELECT *, ${whole} AS granary_peak FROM (${inner})`
  const withRank = `SELECT *, dense_rank() OVER (ORDER BY ${order}) AS granary_rank FROM (${withPeak})`
  return `SELECT *, max(granary_rank) OVER () AS granary_count FROM (${withRank})`
}

const finiteOnly = ({ aggregate }: ChartColumn, sql: string): string =>
  aggregate.isFloat ? `if(isFinite(${sql}), ${sql}, NULL)` : sql

function finished({ aggregate }: ChartColumn, condition: string): string {
  return 'name' in aggregate ? aggregate.finish(callOf(aggregate, condition)) : aggregate.expression
}

/**
 * Filters of the series become the combinator -If, unless all series have the same filter. A row that no series
 * wants is not read.
 */
function rowsOf({ filters, series, groups, excluded }: ChartStatement): {
  where: string
  conditions: string[]
} {
  const wheres = [...new Set(series.map(({ where }) => where))]
  const [only = ''] = wheres
  const isShared = wheres.length <= 1
  const wanted = isShared ? only : wheres.includes('') ? '' : `(${wheres.join(' OR ')})`
  const all = [...filters, wanted, excluded ? outside(groups, excluded) : ''].filter((part) => part !== '')
  return {
    where: all.length === 0 ? '' : ` WHERE ${all.join(' AND ')}`,
    conditions: series.map(({ where }) => (isShared ? '' : where)),
  }
}

/** True for rows of other groups than these. */
function outside(groups: readonly string[], excluded: readonly (readonly (string | null)[])[]): string {
  const texts = groups.map((sql) => `isNull(${sql}), ifNull(toString(${sql}), '')`)
  const known = excluded.map((group) =>
    group.map((text) => (text === null ? "1, ''" : `0, ${quoteString(text)}`)).join(', '),
  )
  return `NOT has([${known.map((group) => `(${group})`).join(', ')}], (${texts.join(', ')}))`
}
