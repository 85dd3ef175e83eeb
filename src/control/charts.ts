import { type Granularity, queryLimits } from '../domain/dashboard/query-limits.ts'
import { planSeries } from '../domain/dashboard/rules.ts'
import { defaultTimeRange, readTimeRange } from '../domain/dashboard/time-range.ts'
import type { DashboardRecord, Series, SeriesInput, Tile, WhereLanguage } from '../domain/dashboard/types.ts'
import { AppError, invalid, notFound, refuse } from '../domain/errors.ts'
import type { Issue } from '../domain/issue.ts'
import { under } from '../domain/issue.ts'
import { resolveSource, type SourceReference } from '../domain/source/resolve.ts'
import type { SourceRecord } from '../domain/source/types.ts'
import { nearestNames } from '../lib/nearest.ts'
import type { Variables } from '../lib/where/variables.ts'
import type { Queries } from '../queries/queries.ts'
import type { Asking, TileAnswer, TileQuestion } from '../queries/question.ts'
import { type Caller, type ControlContext, requireUsable } from './context.ts'

/** What every question may say. */
export interface QuestionBody {
  startTime?: number
  endTime?: number
  granularity?: Granularity | 'auto'
  where?: string
  whereLanguage?: WhereLanguage
  variables?: Record<string, string | string[] | null>
  groupLimit?: number
  buckets?: number
  limit?: number
  cursor?: string
  refresh?: boolean
}

export interface SeriesBody extends QuestionBody {
  series: (Omit<SeriesInput, 'type'> & Partial<Pick<SeriesInput, 'type'>>)[]
  seriesReturnType?: 'column' | 'ratio'
}

/** Answers series that are stored nowhere. */
export async function askSeries(
  context: ControlContext,
  caller: Caller,
  body: SeriesBody,
  how: Asking,
): Promise<TileAnswer> {
  const planned = planSeries(body.series.map((series) => ({ ...series, type: series.type ?? 'time' })))
  const isRatio = body.seriesReturnType === 'ratio'
  const issues = Array.isArray(planned) ? [...planned] : []
  if (isRatio && body.series.length !== 2) {
    const message = 'can be ratio only with exactly 2 series'
    issues.push({ path: ['seriesReturnType'], code: 'not_allowed', message })
  }
  const { startTime: startMs = 0, endTime: endMs = 0 } = body
  refuse([...issues, ...rangeIssues(body)])
  const series = Array.isArray(planned) ? [] : planned.series
  const about = { series, isRatio, span: { startMs, endMs }, isSpanGiven: true, principal: 'tile:charts' }
  return ask(context, caller.key.organizationId, body, { ...about, variables: body.variables ?? {} }, how)
}

/** Answers a tile of a stored dashboard. */
export async function askTile(
  context: ControlContext,
  caller: Caller,
  ids: { dashboardId: string; tileId: string },
  body: QuestionBody,
  how: Asking,
): Promise<TileAnswer> {
  const dashboard = await loadDashboard(context, caller, ids.dashboardId)
  const tile = dashboard.tiles.find(({ id }) => id === ids.tileId)
  if (!tile) throw notFound('tile')
  const { span, isSpanGiven } = rangeOf(context, dashboard, body)
  const variables = variablesOf(dashboard, body)
  return ask(
    context,
    caller.key.organizationId,
    body,
    { ...tileAbout(tile), span, isSpanGiven, variables },
    how,
  )
}

const tileAbout = ({ id, series, asRatio }: Tile) => ({ series, isRatio: asRatio, principal: `tile:${id}` })

/** A tile's number over a range: one without groups, else one for each group. */
export interface TileNumber {
  group: readonly (string | null)[]
  /** Null = there is none. */
  value: number | null
}

/**
 * Asks the first series of a tile, or its ratio, as a number; what alerts compare with their threshold. Variables have
 * their defaults. At most a thousand groups, the largest first.
 */
export async function askNumbers(
  context: ControlContext,
  organizationId: string,
  { dashboard, tile }: { dashboard: DashboardRecord; tile: Tile },
  span: TileQuestion['span'],
  how: Asking,
): Promise<TileNumber[]> {
  const series = tile.asRatio ? tile.series : tile.series.slice(0, 1)
  const about = { series, isRatio: tile.asRatio, span, isSpanGiven: true, principal: `tile:${tile.id}` }
  const variables = variablesOf(dashboard, {})
  const body = { groupLimit: queryLimits.groupLimit }
  const { data } = await ask(context, organizationId, body, { ...about, type: 'number', variables }, how)
  return data.flatMap(({ group, 'series_0.data': value }) =>
    Array.isArray(group) ? [{ group, value: typeof value === 'number' ? value : null }] : [],
  )
}

/** The values that a variable of a dashboard may take. */
export async function listVariableValues(
  context: ControlContext,
  caller: Caller,
  ids: { dashboardId: string; name: string },
  body: QuestionBody,
  how: Asking,
): Promise<string[]> {
  const dashboard = await loadDashboard(context, caller, ids.dashboardId)
  const variable = dashboard.variables?.find(({ name }) => name === ids.name)
  if (!variable) throw notFound('variable')
  const { span } = rangeOf(context, dashboard, body)
  const variables = variablesOf(dashboard, body)
  if (variable.kind === 'list') return [...new Set(variable.values)]
  if (variable.kind === 'text') return variable.default === undefined ? [] : [variable.default].flat()
  const { sql = '', dataSource = 'events' } = variable
  const source = await loadSource(context, caller, { dataSource }, [])
  const question = { source, sql, span, granularity: body.granularity ?? 'auto', variables } as const
  return queriesOf(context).values({ ...question, principal: 'tile:variable' }, how)
}

export interface WhereBody extends Partial<SourceReference> {
  where: string
  whereLanguage?: WhereLanguage
  variables?: Record<string, string | string[] | null>
}

/** Judges a filter; what is wrong with it is part of the answer. */
export async function checkWhere(
  context: ControlContext,
  caller: Caller,
  { dataSource = 'events', sourceId, where, whereLanguage = 'lucene', variables = {} }: WhereBody,
): Promise<{ valid: boolean; english: string; errors: Issue[] }> {
  const source = await loadSource(context, caller, { dataSource, sourceId }, [])
  const found = await queriesOf(context).checkWhere({ source, where, whereLanguage, variables })
  return { valid: found.errors.length === 0, ...found }
}

/** The sources of a tile's series, each checked: it exists, and its service can answer. */
async function ask(
  context: ControlContext,
  organizationId: string,
  body: QuestionBody,
  about: Pick<TileQuestion, 'isRatio' | 'span' | 'isSpanGiven' | 'principal' | 'variables'> & {
    series: readonly Series[]
    /** Absent = that of the series. */
    type?: TileQuestion['type']
  },
  how: Asking,
): Promise<TileAnswer> {
  const { series, type: asked, ...more } = about
  const type = asked ?? series[0]?.type ?? 'time'
  const queries = queriesOf(context)
  const question = {
    ...{ ...more, type, granularity: body.granularity ?? 'auto', where: body.where ?? '' },
    ...{ whereLanguage: body.whereLanguage ?? 'lucene', refresh: body.refresh ?? false },
    ...{ groupLimit: body.groupLimit, buckets: body.buckets, limit: body.limit, cursor: body.cursor },
  } as const
  if (type === 'markdown') {
    const only = series.slice(0, 1).map((one) => ({ series: one, source: noSource }))
    return queries.ask({ ...question, series: only }, how)
  }
  const wanted = type === 'search' ? series.slice(0, 1) : series
  const sources = await context.store.sources.list(organizationId)
  const resolved = wanted.map((one, index) => {
    const found = resolveSource(sources, one)
    return 'source' in found ? found : { issues: under(['series', index], [found.issue]) }
  })
  refuse(resolved.flatMap((found) => ('issues' in found ? found.issues : [])))
  const known = resolved.flatMap((found) => ('source' in found ? [found.source] : []))
  await requireServices(context, organizationId, known, (index) => ['series', index, 'dataSource'])
  return queries.ask(
    { ...question, series: wanted.map((one, i) => ({ series: one, source: known[i] ?? noSource })) },
    how,
  )
}

async function loadSource(
  context: ControlContext,
  caller: Caller,
  reference: SourceReference,
  prefix: Issue['path'],
): Promise<SourceRecord> {
  const sources = await context.store.sources.list(caller.key.organizationId)
  const found = resolveSource(sources, reference)
  if ('issue' in found) throw invalid(under(prefix, [found.issue]))
  await requireServices(context, caller.key.organizationId, [found.source], () => [...prefix, 'dataSource'])
  return found.source
}

/** Refuses sources whose service is gone (400) or does not run (424). */
async function requireServices(
  { store }: ControlContext,
  organizationId: string,
  sources: readonly SourceRecord[],
  pathOf: (index: number) => Issue['path'],
): Promise<void> {
  for (const [index, { serviceId }] of sources.entries()) {
    if (sources.findIndex((source) => source.serviceId === serviceId) < index) continue
    const service = await store.services.get(organizationId, serviceId)
    if (!service)
      throw invalid([{ path: pathOf(index), code: 'not_found', message: "the source's service is gone" }])
    requireUsable(service)
  }
}

async function loadDashboard(
  { store }: ControlContext,
  caller: Caller,
  id: string,
): Promise<DashboardRecord> {
  const found = await store.dashboards.get(caller.key.organizationId, id)
  if (!found) throw notFound('dashboard')
  return found
}

function rangeOf(
  { clock }: ControlContext,
  { timeRange = defaultTimeRange }: DashboardRecord,
  body: QuestionBody,
): Pick<TileQuestion, 'span' | 'isSpanGiven'> {
  refuse(rangeIssues(body))
  const { startTime: startMs, endTime: endMs } = body
  if (startMs !== undefined && endMs !== undefined) return { span: { startMs, endMs }, isSpanGiven: true }
  const span = readTimeRange(timeRange, clock.now())
  if (span) return { span, isSpanGiven: false }
  const message = 'the range of the dashboard ends before it begins now'
  throw invalid([{ path: ['startTime'], code: 'required', message }])
}

function rangeIssues({ startTime, endTime }: QuestionBody): Issue[] {
  if ((startTime === undefined) !== (endTime === undefined)) {
    const missing = startTime === undefined ? 'startTime' : 'endTime'
    return [{ path: [missing], code: 'required', message: 'startTime and endTime go together' }]
  }
  const isBackward = startTime !== undefined && endTime !== undefined && startTime >= endTime
  return isBackward ? [{ path: ['endTime'], code: 'out_of_range', message: 'must be after startTime' }] : []
}

/** What was sent, else the default, else every value. */
function variablesOf(
  { variables: declared = [] }: DashboardRecord,
  { variables = {} }: QuestionBody,
): Variables {
  const names = declared.map(({ name }) => name)
  const unknown = Object.keys(variables).filter((name) => !names.includes(name))
  refuse(
    unknown.map((name) => ({
      ...{ path: ['variables', name], code: 'not_found', message: 'the dashboard has no such variable' },
      suggestions: nearestNames(name, names),
    })),
  )
  const chosen = (name: string, byDefault: string | string[] | undefined) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? null) : (byDefault ?? null)
  return Object.fromEntries(
    declared.map((variable) => [variable.name, chosen(variable.name, variable.default)]),
  )
}

function queriesOf({ queries }: ControlContext): Queries {
  if (queries) return queries
  throw new AppError('UNAVAILABLE', 'no engine runs here that could answer')
}

/** Markdown is of no source. */
const noSource: SourceRecord = {
  ...{ id: '', name: '', kind: 'events', serviceId: '', database: '', table: '', timestampColumn: '' },
  ...{ implicitColumn: '', aliases: {}, isDefault: false, createdAtMs: 0, updatedAtMs: 0 },
}
