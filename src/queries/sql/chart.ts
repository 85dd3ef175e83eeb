import { type Aggregate, aggregateOf, plain } from './aggregate.ts'
import type { ChartColumn, ChartStatement, Rank } from './chart-statement.ts'
import { compileAggregate, compileFilter, compileRequestFilter, problemError } from './compile-series.ts'
import { createFieldContext, type FieldContext, readGroup, type UserSql } from './field.ts'
import { metricRow, metricRows } from './metric-rows.ts'
import { type QuerySource, type TimeSpan, tableOf } from './query-source.ts'
import { seriesError, type TileQuery, type TileSeries } from './tile.ts'
import { type TimeColumn, timeColumnOf } from './time-column.ts'

/** The part of a chart that one source answers. */
export interface ChartPart {
  source: QuerySource
  /** Numbers of its series in the tile, in the order of the statement's columns. */
  indexes: readonly number[]
  statement: ChartStatement
  /** Of each of its series. */
  english: readonly string[]
  /** SQL expressions whose type must be known before the statement is right. */
  wanted: ReadonlySet<string>
  userSql: readonly UserSql[]
  /** The same statement for a part of the range; null = what a bucket shows depends on rows before it. */
  within: ((span: TimeSpan) => ChartStatement) | null
}

/** Types of SQL expressions over a source's columns, as far as they are known. */
export type KnownTypes = (source: QuerySource) => ReadonlyMap<string, string>

/** The statements of a time, table or number tile: one for each source. Throws a SeriesError. */
export function chartParts(tile: TileQuery, types: KnownTypes): ChartPart[] {
  requireSameGroups(tile)
  requireSameFilter(tile)
  return sourcesOf(tile).map((own) => chartPart(tile, own, types))
}

/** The series of a tile by their source. */
export function sourcesOf({ series }: TileQuery): [TileSeries, ...TileSeries[]][] {
  const bySource = new Map<QuerySource, [TileSeries, ...TileSeries[]]>()
  for (const one of series) {
    const found = bySource.get(one.source)
    if (found) found.push(one)
    else bySource.set(one.source, [one])
  }
  return [...bySource.values()]
}

/** What all builders need to know about a source. */
export function contextOf(tile: TileQuery, { source, index, series }: TileSeries, types: KnownTypes) {
  const time = timeColumnOf(source)
  if (time === null) {
    const path = ['series', index, series.sourceId === undefined ? 'dataSource' : 'sourceId']
    throw seriesError(path, 'invalid_value', `the source has no time column ${source.timestampColumn}`)
  }
  const { variables, span, stepMs } = tile
  const given = { source, variables, span, stepSeconds: stepMs / 1000, types: types(source) }
  return { ...createFieldContext(given), timeColumn: time }
}

function chartPart(tile: TileQuery, own: [TileSeries, ...TileSeries[]], types: KnownTypes): ChartPart {
  const [first] = own
  const context = contextOf(tile, first, types)
  const { source } = first
  const groups = first.series.groupBy.map((text, i) =>
    readGroup(text, ['series', first.index, 'groupBy', i], context),
  )
  const request = compileRequestFilter(tile, context).sql
  const filters = own.map((series) => compileFilter(series, tile, context))
  const bucket = tile.type === 'time' ? context.timeColumn.bucket(tile.stepMs, tile.span.startMs < 0) : null
  const about = { tile, own, context, groups, bucket, request, wheres: filters.map(({ sql }) => sql) }
  const statement = source.metric ? metricStatement(about) : eventStatement(about)
  const [, ...others] = statement.filters
  return {
    ...{ source, indexes: own.map(({ index }) => index), statement },
    ...{ wanted: context.wanted, userSql: context.userSql },
    english: filters.map(({ english }) => english),
    within: source.metric
      ? null
      : (span) => ({ ...statement, filters: [context.timeColumn.within(span), ...others] }),
  }
}

interface About {
  tile: TileQuery
  own: readonly TileSeries[]
  context: FieldContext & { timeColumn: TimeColumn }
  groups: readonly string[]
  bucket: string | null
  request: string
  wheres: readonly string[]
}

function eventStatement({ tile, own, context, groups, bucket, request, wheres }: About): ChartStatement {
  const { timeColumn } = context
  const aggregates = { ...context, time: timeColumn.name, seconds: secondsOf(tile) }
  const series: ChartColumn[] = own.map((one, i) => ({
    aggregate: compileAggregate(one, aggregates),
    where: wheres[i] ?? '',
  }))
  return {
    table: tableOf(context.source),
    filters: [timeColumn.within(tile.span), ...(request === '' ? [] : [request])],
    ...{ bucket, groups, series, groupLimit: tile.groupLimit, rank: rankOf(tile, series) },
  }
}

function metricStatement({ tile, own, context, groups, bucket, request, wheres }: About): ChartStatement {
  const rows = own.map(({ index, series }, i) => {
    const { metricName, field = '', metricDataType: kind = 'gauge' } = series
    const name = metricName || field
    if (name === '') throw seriesError(['series', index, 'metricName'], 'required', 'a metric is missing')
    const { source, timeColumn: time } = context
    const about = {
      source,
      time,
      span: tile.span,
      bucket,
      groups,
      name,
      kind,
      wheres: [wheres[i] ?? '', request],
    }
    const sql = kind === 'summary' || kind === 'exponential histogram' ? null : metricRows(about, i)
    if (sql !== null) return sql
    const message = `metrics of type ${kind} cannot be read from this source`
    throw seriesError(['series', index, 'metricDataType'], 'invalid_value', message)
  })
  const series: ChartColumn[] = own.map((one, i) => ({
    aggregate: metricAggregate(one, secondsOf(tile)),
    where: own.length === 1 ? '' : `${metricRow.series} = ${i}`,
  }))
  return {
    table: `(${rows.join(' UNION ALL ')})`,
    filters: [],
    bucket: bucket === null ? null : metricRow.bucket,
    groups: groups.map((_, i) => metricRow.group(i)),
    ...{ series, groupLimit: tile.groupLimit, rank: rankOf(tile, series) },
  }
}

/** The aggregate of a series over the rows that `metricRows` makes. */
function metricAggregate({ index, series }: TileSeries, seconds: number): Aggregate {
  const { aggFn, metricDataType: kind = 'gauge', level } = series
  if (aggFn === 'none') throw seriesError(['series', index, 'aggFn'], 'not_allowed', 'none is for events')
  const value = { sql: metricRow.value, type: { kind: 'float', name: 'Float64', isNullable: false } as const }
  const asked = aggregateOf({
    aggFn: aggFn === 'increase' && kind === 'sum' ? 'sum' : aggFn === '' ? 'count' : aggFn,
    ...{ value, level, time: metricRow.time, seconds, exists: '' },
  })
  if (typeof asked === 'string') throw problemError(asked, series, index)
  if (kind === 'histogram') return histogramAggregate(asked, series, index)
  return asked.name === 'count' ? { ...asked, name: 'sum', args: [metricRow.samples] } : asked
}

function histogramAggregate(asked: Aggregate, series: TileSeries['series'], index: number): Aggregate {
  const sums = plain('sumMap', [`arrayPushBack(${metricRow.bounds}, inf)`, metricRow.value])
  if (asked.name === 'count') {
    return { ...sums, isFloat: true, finish: (x) => asked.finish(`arraySum(tupleElement(${x}, 2))`) }
  }
  if (asked.name !== 'quantileOrNull') {
    const message = `${series.aggFn} is not for metrics of type histogram: they have quantiles and count`
    throw seriesError(['series', index, 'aggFn'], 'not_allowed', message)
  }
  const level = asked.parameters.slice(1, -1)
  return { ...sums, empty: null, isFloat: true, finish: (x) => quantileOf(x, level) }
}

/**
 * Linear within a bucket, the first begins at 0; beyond the last bound it is that bound. `sums` is a tuple of
 * upper bounds and counts. The lambdas give names to what is used more than once.
 */
function quantileOf(sums: string, level: string): string {
  const below = `if(i <= 1, 0., k[i - 1])`
  const share = `(${level} * t - (c[i] - v[i])) / v[i]`
  const inside = `if(isInfinite(k[i]), ${below}, ${below} + (k[i] - ${below}) * ${share})`
  const withIndex = `arrayMap((k, v, c, t, i) -> if(t > 0 AND i > 0, ${inside}, NULL), [k], [v], [c], [t], [arrayFirstIndex((x, n) -> x >= ${level} * t AND n > 0, c, v)])[1]`
  const withSums = `arrayMap((k, v) -> arrayMap((c, t) -> ${withIndex}, [arrayCumSum(v)], [arraySum(v)])[1], [tupleElement(s, 1)], [tupleElement(s, 2)])[1]`
  return `arrayMap(s -> ${withSums}, [${sums}])[1]`
}

const secondsOf = ({ type, stepMs, span }: TileQuery): number =>
  (type === 'time' ? stepMs : span.endMs - span.startMs) / 1000

function rankOf({ isRatio, type, series: all }: TileQuery, series: readonly ChartColumn[]): Rank {
  const [first] = series
  const isDescending = type !== 'table' || all[0]?.series.sortOrder !== 'asc'
  const order = isDescending ? 'desc' : 'asc'
  if (first?.aggregate.isText) return { by: 'rows', order }
  return { by: isRatio && series.length === 2 ? 'ratio' : 'first', order }
}

function requireSameGroups({ series }: TileQuery): void {
  const [first] = series
  for (const { index, series: one } of series) {
    if (JSON.stringify(one.groupBy) === JSON.stringify(first?.series.groupBy)) continue
    throw seriesError(['series', index, 'groupBy'], 'invalid_value', 'must be that of the first series')
  }
}

/** An aggregate expression cannot have a filter of its own. */
function requireSameFilter({ series }: TileQuery): void {
  const own = series.find((one) => one.series.aggFn === 'none')
  if (own === undefined) return
  const filter = ({ where, whereLanguage = 'lucene' }: TileSeries['series']): string =>
    where.trim() === '' ? '' : `${whereLanguage} ${where}`
  const wanted = filter(own.series)
  const other = series.find((one) => filter(one.series) !== wanted)
  if (other === undefined) return
  const message = 'with the aggFn none, every series of the tile has the same where'
  throw seriesError(['series', other.index, 'where'], 'invalid_value', message)
}
