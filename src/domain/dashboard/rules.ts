import type { Issue } from '../issue.ts'
import { under } from '../issue.ts'
import { dashboardLimits as limits } from './limits.ts'
import type {
  AggFn,
  DashboardContent,
  DashboardInput,
  DashboardRecord,
  ReplaceInput,
  Series,
  SeriesExtras,
  SeriesInput,
  SeriesType,
  Tile,
  TileInput,
} from './types.ts'

export interface PlanOptions {
  /** Makes the id of a new tile. */
  newTileId: () => string
}

/** The content of a new dashboard with every default filled in, or everything that is wrong with the body. */
export function planDashboard(
  body: DashboardInput,
  { newTileId }: PlanOptions,
): { dashboard: DashboardContent } | Issue[] {
  const issues = dashboardIssues(body)
  if (issues.length > 0) return issues
  const tiles = (body.tiles ?? []).map((tile) => completeTile(tile, newTileId()))
  return { dashboard: { name: body.name.trim(), tiles, tags: [...new Set(body.tags)] } }
}

/**
 * The dashboard after a PUT: all of its content is replaced, and absent fields become empty. A tile keeps its
 * id if the dashboard already has a tile with that id; any other id is replaced by a new one.
 */
export function planReplace(
  current: DashboardRecord,
  body: ReplaceInput,
  { newTileId }: PlanOptions,
): { dashboard: DashboardRecord } | Issue[] {
  const issues: Issue[] = []
  if (body.id !== undefined && body.id !== current.id) {
    issues.push({ path: ['id'], code: 'immutable', message: 'must be the id in the path' })
  }
  issues.push(...dashboardIssues(body), ...repeatedIds(body))
  if (issues.length > 0) return issues
  const known = new Set(current.tiles.map((tile) => tile.id))
  const tiles = (body.tiles ?? []).map(({ id, ...tile }) =>
    completeTile(tile, id !== undefined && known.has(id) ? id : newTileId()),
  )
  const dashboard = { id: current.id, name: body.name.trim(), tiles, tags: [...new Set(body.tags)] }
  return { dashboard }
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
  time: [...charted, 'displayType'],
  table: [...charted, 'sortOrder'],
  number: charted,
  histogram: charted,
  search: ['sourceId', 'whereLanguage', 'fields'],
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

function dashboardIssues(body: DashboardInput): Issue[] {
  return [
    ...nameIssues(body.name),
    ...(body.tiles ?? []).flatMap((tile, index) => under(['tiles', index], tileIssues(tile))),
  ]
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
  const first = tile.series[0]
  for (const [index, series] of tile.series.entries()) {
    if (series.type !== first?.type) {
      const message = 'must be the type of the first series: a tile holds one type'
      issues.push({ path: ['series', index, 'type'], code: 'invalid_value', message })
    }
    issues.push(...under(['series', index], seriesIssues(series)))
  }
  return issues
}

function seriesIssues(series: SeriesInput): Issue[] {
  const issues: Issue[] = []
  if (series.aggFn === '' && defaultAggFn[series.type] !== '') {
    issues.push({ path: ['aggFn'], code: 'invalid_value', message: `a ${series.type} series needs one` })
  }
  const { type, dataSource, aggFn, where, groupBy, ...extras } = series
  const allowed: readonly string[] = seriesExtras[type]
  for (const name of Object.keys(extras)) {
    if (allowed.includes(name)) continue
    const message = `does not belong to a ${type} series`
    issues.push({ path: [name], code: 'not_allowed', message })
  }
  return issues
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
    aggFn: aggFn ?? defaultAggFn[type],
    where: where ?? '',
    groupBy: groupBy ?? [],
    ...extras,
  }
}
