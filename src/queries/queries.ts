import { getHeapStatistics } from 'node:v8'
import { granularities } from '../domain/dashboard/query-limits.ts'
import type { Series } from '../domain/dashboard/types.ts'
import { AppError, invalid } from '../domain/errors.ts'
import type { Issue } from '../domain/issue.ts'
import type { SourceRecord } from '../domain/source/types.ts'
import type { Asking as InternalAsking } from '../gateway/internal/ask.ts'
import type { Clock } from '../lib/clock.ts'
import { compileWhere } from '../lib/where/compile.ts'
import { compileSqlWhere } from '../lib/where/sql-where.ts'
import { WhereError } from '../lib/where/where-error.ts'
import { createResultCache } from './cache/result-cache.ts'
import { createTableWatch, type TableLook, type Watch } from './cache/table-watch.ts'
import { createExpressionTypes } from './expression-types.ts'
import { firstLine, isRefusal, toAppError } from './failure.ts'
import { resultBytes, type TileLimits } from './limits.ts'
import { createLooks } from './looks.ts'
import { createProgressSum } from './progress.ts'
import type { Answered, Asking, TileAnswer, TileQuestion } from './question.ts'
import { readChart } from './read-chart.ts'
import { readHistogram } from './read-histogram.ts'
import { readSearch } from './read-search.ts'
import { readSql } from './read-sql.ts'
import type { Reading, ReadingStats } from './reading.ts'
import { createResultRoom } from './result-room.ts'
import { createRunStatement } from './run-statement.ts'
import { chartParts } from './sql/chart.ts'
import type { UserSql } from './sql/field.ts'
import { autoGranularity, mostBuckets, wholeBuckets } from './sql/granularity.ts'
import { histogramParts } from './sql/histogram.ts'
import { type QuerySource, tableOf } from './sql/query-source.ts'
import { compileSearch } from './sql/search.ts'
import { issueOf, seriesError, type TileQuery, type TileSeries } from './sql/tile.ts'

/** The questions that dashboards, their readers and alerts ask of services. */
export interface Queries {
  /** Answers a tile. Fails with an AppError whose issues name the series and the field. */
  ask(question: TileQuestion, how: Asking): Promise<TileAnswer>
  /** The first column of a statement as text, each value once, at most 1000. */
  values(question: ValuesQuestion, how: Asking): Promise<string[]>
  /** Judges a filter by the columns of a source's table; no row is read. */
  checkWhere(question: WhereQuestion): Promise<{ english: string; errors: Issue[] }>
}

export type ValuesQuestion = Pick<TileQuestion, 'span' | 'granularity' | 'variables' | 'principal'> & {
  source: SourceRecord
  sql: string
}

export type WhereQuestion = Pick<TileQuestion, 'where' | 'whereLanguage' | 'variables'> & {
  source: SourceRecord
}

export interface QueriesParts {
  ask: InternalAsking['ask']
  clock: Clock
  limits: TileLimits
  /** A signature that only this installation can make. */
  sign(text: string): string
}

/** What the cache of all results may take. */
const cacheBytes = 64 * 1024 * 1024
const mostValues = 1000
/** What results may take of the memory for JavaScript. */
const spareBytes = (): number => getHeapStatistics().heap_size_limit / 8
const defaultGroupLimits = { time: 50, number: 50, table: 200, histogram: 1, search: 1, markdown: 1 }

export function createQueries({ ask, clock, limits, sign }: QueriesParts): Queries {
  const run = createRunStatement({ ask, limits })
  const look = createLooks(run)
  const cache = createResultCache(cacheBytes)
  const watch = createTableWatch()
  const types = createExpressionTypes(run)
  const perAnswer = resultBytes(limits.memoryMb)
  const hold = createResultRoom({ perAnswer, inAll: Math.max(perAnswer, spareBytes()) })

  return {
    async ask(question, how) {
      const startedAt = performance.now()
      const { type } = question
      const shape = shapeOf(question)
      const stats: ReadingStats = { rowsRead: 0, bytesRead: 0, sql: [], isCached: true, woken: false }
      const answered = type === 'markdown' ? { data: [] } : await answer(question, shape, stats, how)
      const { data, startTime = shape.span.startMs, endTime = shape.span.endMs, ...more } = answered
      const elapsedMs = Math.round(performance.now() - startedAt)
      return {
        data,
        meta: {
          ...{ type, startTime, endTime },
          ...(type === 'time' ? { granularity: shape.granularity } : {}),
          ...(type === 'markdown' ? { content: question.series[0]?.series.content ?? '' } : {}),
          ...{ where: question.series.map(() => ''), ...more, sql: stats.sql },
          stats: {
            ...{ elapsedMs, rowsRead: stats.rowsRead, bytesRead: stats.bytesRead },
            cached: stats.isCached && stats.sql.length > 0,
          },
          woken: stats.woken,
        },
      }
    },
    async values({ source, sql, span, granularity, variables, principal }, how) {
      const series = { ...sqlSeries, sql }
      const question = {
        ...bareQuestion,
        series: [{ series, source }],
        span,
        granularity,
        variables,
        principal,
      }
      const { data, meta } = await this.ask({ ...question, type: 'table' }, how).catch((error: unknown) => {
        throw withoutSeries(error)
      })
      const first = meta.columns?.[0]?.name ?? ''
      const texts = data.map((row) => row[first]).filter((value) => value !== null && value !== undefined)
      return [
        ...new Set(texts.map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)))),
      ].slice(0, mostValues)
    },
    async checkWhere({ source, where, whereLanguage, variables }) {
      const found = await look(source).catch((error: unknown) => {
        throw toAppError(error, limits, ['dataSource'])
      })
      if (found === null) throw noTable(source, ['dataSource'])
      const table = withColumns(source, found)
      const errors = (issue: Issue) => ({ english: '', errors: [issue] })
      try {
        if (whereLanguage === 'lucene')
          return { english: compileWhere(where, table, variables).english, errors: [] }
        const nowMs = clock.now()
        const sql = compileSqlWhere(where, variables, {
          startMs: nowMs - 3_600_000,
          endMs: nowMs,
          stepSeconds: 60,
        })
        const refused = await refusalOf(table, { sql, path: ['where'] })
        return refused === null ? { english: '', errors: [] } : errors(refused)
      } catch (error) {
        if (error instanceof WhereError) return errors(issueOf(['where'], error))
        throw toAppError(error, limits, ['where'])
      }
    },
  }

  async function answer(
    question: TileQuestion,
    { span, stepMs }: Shape,
    stats: ReadingStats,
    { signal, onProgress }: Asking,
  ): Promise<Answered> {
    const { type, principal } = question
    const bySql = question.series.filter(({ series }) => series.sql !== undefined)
    const watches = new Map<QuerySource, Watch & { servedBy: string }>()
    using held = hold()
    const reading: Reading = {
      ...{ run, cache, clock, stats, principal, signal, isFresh: question.refresh },
      ...{ mostRows: limits.resultRows, held },
      watchOf: (source) => watches.get(source) ?? null,
      progress: onProgress && createProgressSum(onProgress),
    }
    let userSql: readonly UserSql[] = []
    let series: TileSeries[] = []
    const noted = <T extends { userSql: readonly UserSql[] }>(parts: T[]): T[] => {
      userSql = parts.flatMap((part) => part.userSql)
      return parts
    }
    try {
      if (bySql.length > 0 && bySql.length < question.series.length) {
        const index = question.series.findIndex((one) => one.series.sql === undefined)
        throw seriesError(['series', index, 'sql'], 'required', 'every series of the tile has sql, or none')
      }
      series =
        bySql.length > 0 ? question.series.map(withoutColumns) : await resolve(question, reading, watches)
      const tile: TileQuery = {
        ...{ type, series, isRatio: question.isRatio, span, stepMs, variables: question.variables },
        ...{ where: question.where, whereLanguage: question.whereLanguage },
        groupLimit: question.groupLimit ?? defaultGroupLimits[type],
      }
      if (bySql.length > 0) return await readSql(reading, tile, question)
      if (type === 'search') {
        userSql = compileSearch(tile, () => new Map()).userSql
        return await readSearch(reading, tile, () => new Map(), { question, sign })
      }
      if (type === 'histogram') {
        const parts = await types.complete({ principal, signal }, (known) =>
          noted(histogramParts(tile, known)),
        )
        return { ...(await readHistogram(reading, tile, parts, question.buckets)), series: namesOf(tile) }
      }
      const parts = await types.complete({ principal, signal }, (known) => noted(chartParts(tile, known)))
      const { data, groups } = await readChart(reading, tile, parts)
      const where = tile.series.map(({ index }) => {
        const part = parts.find(({ indexes }) => indexes.includes(index))
        return part?.english[part.indexes.indexOf(index)] ?? ''
      })
      return { data, ...(groups ? { groups } : {}), series: namesOf(tile), where }
    } catch (error) {
      if (signal.aborted) throw error
      const blamed = isRefusal(error) ? await blame(series, userSql, error) : null
      throw blamed ?? toAppError(error, limits, bySql.length > 0 ? ['series', 0, 'sql'] : ['series', 0])
    }
  }

  /** Looks at the tables of all sources; each source is one object from here on. */
  async function resolve(
    question: TileQuestion,
    reading: Reading,
    watches: Map<QuerySource, Watch & { servedBy: string }>,
  ): Promise<TileSeries[]> {
    const known = new Map<string, Promise<QuerySource>>()
    const sourceOf = async (source: SourceRecord, index: number): Promise<QuerySource> => {
      const found = await look(source)
      if (found === null) throw noTable(source, ['series', index, 'dataSource'])
      reading.stats.woken ||= found.woken
      const table = withColumns(source, found)
      const current = await watch.update(run, table, found, reading)
      if (current) watches.set(table, { ...current, servedBy: found.servedBy })
      return table
    }
    return Promise.all(
      question.series.map(async ({ series, source }, index) => {
        const shared = known.get(source.id) ?? sourceOf(source, index)
        known.set(source.id, shared)
        return { index, series, source: await shared }
      }),
    )
  }

  /** Finds the text that the engine refuses; null = it is none of them alone. */
  async function blame(
    series: readonly TileSeries[],
    userSql: readonly UserSql[],
    error: unknown,
  ): Promise<AppError | null> {
    for (const piece of userSql) {
      const index = typeof piece.path[1] === 'number' ? piece.path[1] : 0
      const source = series[index]?.source
      const refused = source ? await refusalOf(source, piece).catch(() => null) : null
      if (refused) return invalid([refused])
    }
    const [only] = userSql
    if (userSql.length !== 1 || !only || !(error instanceof Error)) return null
    return invalid([{ path: only.path, code: 'invalid_value', message: firstLine(error.message) }])
  }

  async function refusalOf(source: QuerySource, { sql, path }: UserSql): Promise<Issue | null> {
    const { serviceId, database } = source
    const statement = `SELECT ${sql} FROM ${tableOf(source)} WHERE false LIMIT 0`
    const signal = new AbortController().signal
    try {
      await run({ serviceId, database, sql: statement, principal: 'tile:check', signal })
      return null
    } catch (error) {
      if (!isRefusal(error)) throw error
      return { path, code: 'invalid_value', message: firstLine((error as Error).message) }
    }
  }
}

interface Shape {
  span: TileQuery['span']
  stepMs: number
  granularity: Exclude<TileQuestion['granularity'], 'auto'>
}

function shapeOf({ type, span, granularity: asked }: TileQuestion): Shape {
  const granularity = asked === 'auto' ? autoGranularity(span) : asked
  const stepMs = granularities[granularity] * 1000
  if (type !== 'time') return { span, stepMs, granularity }
  const whole = wholeBuckets(span, stepMs)
  if ((whole.endMs - whole.startMs) / stepMs > mostBuckets) {
    const message = `gives more than ${mostBuckets} buckets in this range`
    throw invalid([{ path: ['granularity'], code: 'out_of_range', message }])
  }
  return { span: whole, stepMs, granularity }
}

function withColumns(
  source: SourceRecord,
  { columns, replacesRows }: Pick<TableLook, 'columns' | 'replacesRows'>,
): QuerySource {
  const { serviceId, database, table, timestampColumn, implicitColumn, aliases, kind, metric } = source
  const own = { serviceId, database, table, timestampColumn, implicitColumn, aliases, columns, replacesRows }
  return kind === 'metrics' && metric ? { ...own, metric } : own
}

const withoutColumns = ({ series, source }: TileQuestion['series'][number], index: number): TileSeries => ({
  ...{ index, series, source: withColumns(source, { columns: [], replacesRows: false }) },
})

function namesOf({ series, isRatio }: TileQuery): { name: string }[] {
  const names = series.map(({ series: { alias = '', aggFn, field = '', metricName = '', type } }) => {
    if (alias !== '') return alias
    const what = metricName || field
    if (aggFn === 'none') return what
    return what === '' || type === 'histogram' ? aggFn : `${aggFn}(${what})`
  })
  return isRatio ? [{ name: names.join(' / ') }] : names.map((name) => ({ name }))
}

function noTable({ database, table }: SourceRecord, path: Issue['path']): AppError {
  return invalid([
    { path, code: 'not_found', message: `the source's table ${database}.${table} does not exist` },
  ])
}

const sqlSeries: Series = { type: 'table', dataSource: 'events', aggFn: 'none', where: '', groupBy: [] }
const bareQuestion: Pick<TileQuestion, 'isRatio' | 'where' | 'whereLanguage' | 'isSpanGiven' | 'refresh'> = {
  ...{ isRatio: false, where: '', whereLanguage: 'lucene', isSpanGiven: false, refresh: false },
}

/** The statement of a variable is no series. */
function withoutSeries(error: unknown): unknown {
  if (!(error instanceof AppError) || error.issues.length === 0) return error
  const issues = error.issues.map((issue) => ({ ...issue, path: issue.path.slice(2) }))
  return new AppError(error.code, error.message.replaceAll('series[0].', ''), { issues })
}
