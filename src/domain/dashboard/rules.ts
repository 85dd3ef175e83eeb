import type { Issue } from '../issue.ts'
import { under } from '../issue.ts'
import { dashboardLimits as limits } from './limits.ts'
import { readRefresh, timeRangeIssues } from './time-range.ts'
import type {
  AggFn,
  DashboardContent,
  DashboardExtras,
  DashboardInput,
  DashboardRecord,
  ReplaceInput,
  Series,
  SeriesExtras,
  SeriesInput,
  SeriesType,
  Tile,
  TileInput,
  TimeRange,
} from './types.ts'
import { variableIssues } from './variables.ts'

export interface PlanOptions {
  nowMs: number
  /** Makes the id of a new tile. */
  newTileId: () => string
}

/** The content of a new dashboard with every default filled in, or everything that is wrong with the body. */
export function planDashboard(
  body: DashboardInput,
  { newTileId, nowMs }: PlanOptions,
): { dashboard: DashboardContent } | Issue[] {
  const issues = dashboardIssues(body, nowMs)
  if (issues.length > 0) return issues
  const tiles = (body.tiles ?? []).map((tile) => completeTile(tile, newTileId()))
  return { dashboard: { name: body.name.trim(), tiles, tags: [...new Set(body.tags)], ...extrasOf(body) } }
}

/**
 * The dashboard after a PUT: all of its content is replaced, and absent fields become empty. A tile keeps its
 * id if the dashboard already has a tile with that id; any other id is replaced by a new one.
 */
export function planReplace(
  current: DashboardRecord,
  body: ReplaceInput,
  { newTileId, nowMs }: PlanOptions,
): { dashboard: DashboardRecord } | Issue[] {
  const issues: Issue[] = []
  if (body.id !== undefined && body.id !== current.id) {
    issues.push({ path: ['id'], code: 'immutable', message: 'must be the id in the path' })
  }
  issues.push(...dashboardIssues(body, nowMs, current.timeRange), ...repeatedIds(body))
  if (issues.length > 0) return issues
  const known = new Set(current.tiles.map((tile) => tile.id))
  const tiles = (body.tiles ?? []).map(({ id, ...tile }) =>
    completeTile(tile, id !== undefined && known.has(id) ? id : newTileId()),
  )
  const tags = [...new Set(body.tags)]
  return { dashboard: { id: current.id, name: body.name.trim(), tiles, tags, ...extrasOf(body) } }
}

const charted = [
  'sourceId',
  'field',
  'level',
  'alias',
  'whereLanguage',
  'numberFormat',
  'metricName',
  'metricDataType',
] as const

/** Which extra fields a series of each type may carry. */
export const seriesExtras: Record<SeriesType, readonly (keyof SeriesExtras)[]> = {
  time: [...charted, 'displayType', 'sql'],
  table: [...charted, 'sortOrder', 'sql'],
  number: [...charted, 'sql'],
  histogram: charted,
  search: ['sourceId', 'whereLanguage', 'fields', 'sql'],
  markdown: ['content'],
}

const defaultAggFn: Record<SeriesType, AggFn | ''> = {
  time: 'count',
  table: 'count',
  number: 'count',
  histogram: 'count',
  search: '',
  markdown: '',
}

/** A range that is stored already is not judged again: time may have moved past it since. */
function dashboardIssues(body: DashboardInput, nowMs: number, stored?: TimeRange): Issue[] {
  const { timeRange, refresh, variables = [] } = body
  const isStored = stored?.from === timeRange?.from && stored?.to === timeRange?.to
  const issues = [
    ...nameIssues(body.name),
    ...(body.tiles ?? []).flatMap((tile, index) => under(['tiles', index], tileIssues(tile))),
    ...(timeRange && !isStored ? under(['timeRange'], timeRangeIssues(timeRange, nowMs)) : []),
    ...under(['variables'], variableIssues(variables)),
  ]
  if (refresh !== undefined && readRefresh(refresh) === null) {
    const message = 'must be <n><s|m|h> between 5s and 24h'
    issues.push({ path: ['refresh'], code: 'invalid_format', message })
  }
  return issues
}

function extrasOf({ timeRange, refresh, variables }: DashboardInput): DashboardExtras {
  return {
    ...(timeRange && { timeRange: { from: timeRange.from, to: timeRange.to } }),
    ...(refresh !== undefined && { refresh }),
    ...(variables && { variables }),
  }
}

// The schema cannot trim, so the minimum and the maximum length are checked here.
function nameIssues(name: string): Issue[] {
  const trimmed = name.trim()
  if (trimmed === '') return [{ path: ['name'], code: 'too_short', message: 'must not be blank' }]
  // Code points are counted only when the number of UTF-16 units exceeds the limit.
  if (trimmed.length <= limits.nameLength || [...trimmed].length <= limits.nameLength) return []
  const message = `must have at most ${limits.nameLength} characters`
  return [{ path: ['name'], code: 'too_long', message }]
}

/** The series of a question with every default filled in, or everything that is wrong with them. */
export function planSeries(given: readonly SeriesInput[]): { series: Series[] } | Issue[] {
  const issues = seriesListIssues(given)
  return issues.length > 0 ? issues : { series: given.map(completeSeries) }
}

function tileIssues(tile: TileInput): Issue[] {
  const issues: Issue[] = []
  if (tile.x + tile.w > limits.gridColumns) {
    const message = `x + w must be at most ${limits.gridColumns}, the columns of the grid`
    issues.push({ path: ['w'], code: 'out_of_range', message })
  }
  if (tile.asRatio === true && tile.series.length !== limits.ratioSeries) {
    const message = `can be true only with exactly ${limits.ratioSeries} series`
    issues.push({ path: ['asRatio'], code: 'not_allowed', message })
  }
  return [...issues, ...seriesListIssues(tile.series)]
}

function seriesListIssues(all: readonly SeriesInput[]): Issue[] {
  const issues: Issue[] = []
  for (const [index, series] of all.entries()) {
    if (series.type !== all[0]?.type) {
      const message = 'must be the type of the first series: a tile holds one type'
      issues.push({ path: ['series', index, 'type'], code: 'invalid_value', message })
    }
    issues.push(...under(['series', index], seriesIssues(series)))
  }
  return issues
}

function seriesIssues(series: SeriesInput): Issue[] {
  const issues: Issue[] = []
  if (series.aggFn === '' && defaultAggFn[series.type] !== '' && series.sql === undefined) {
    issues.push({ path: ['aggFn'], code: 'invalid_value', message: `a ${series.type} series needs one` })
  }
  const { type, dataSource, aggFn, where, groupBy, ...extras } = series
  const allowed: readonly string[] = seriesExtras[type]
  for (const name of Object.keys(extras)) {
    if (allowed.includes(name)) continue
    const message = `does not belong to a ${type} series`
    issues.push({ path: [name], code: 'not_allowed', message })
  }
  return series.sql === undefined ? issues : [...issues, ...sqlIssues(series)]
}

/** The whole SELECT says what other series say with these fields. */
function sqlIssues({ field = '', where = '', groupBy = [], aggFn = 'none' }: SeriesInput): Issue[] {
  const isFree = {
    field: field === '',
    where: where === '',
    groupBy: groupBy.length === 0,
    aggFn: aggFn === 'none',
  }
  const message = 'cannot be used together with sql'
  return Object.entries(isFree)
    .filter(([, free]) => !free)
    .map(([name]) => ({ path: [name], code: 'not_allowed', message }))
}

function repeatedIds(body: ReplaceInput): Issue[] {
  const seen = new Set<string>()
  const issues: Issue[] = []
  for (const [index, { id }] of (body.tiles ?? []).entries()) {
    if (id === undefined) continue
    if (seen.has(id)) {
      issues.push({ path: ['tiles', index, 'id'], code: 'duplicate', message: 'an earlier tile has this id' })
    }
    seen.add(id)
  }
  return issues
}

function completeTile({ name, x, y, w, h, asRatio, series }: TileInput, id: string): Tile {
  return { id, name, x, y, w, h, asRatio: asRatio ?? false, series: series.map(completeSeries) }
}

function completeSeries({ type, dataSource, aggFn, where, groupBy, ...extras }: SeriesInput): Series {
  return {
    type,
    dataSource: dataSource ?? 'events',
    aggFn: extras.sql === undefined ? (aggFn ?? defaultAggFn[type]) : 'none',
    where: where ?? '',
    groupBy: groupBy ?? [],
    ...extras,
  }
}
