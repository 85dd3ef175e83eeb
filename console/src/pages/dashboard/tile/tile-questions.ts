/** The questions of a tile. A stored tile is asked by its id, one that is only drafted by its series. */
import type { Arguments } from '../../../api/operations.ts'
import type { RangeMs } from '../../../lib/range-ends.ts'
import type { Answer, Progress, Tile, VariableValues } from '../dashboard-types.ts'
import { ask } from './ask.ts'

export interface Circumstances {
  /** Absent: the tile is a draft. */
  dashboardId?: string
  range: RangeMs
  where: string
  variables: VariableValues
}

type ChartBody = NonNullable<Arguments<'charts.series'>[0]>['body']
type Extra = Pick<ChartBody, 'limit' | 'cursor'>

export function askTile(
  tile: Tile,
  at: Circumstances,
  signal: AbortSignal,
  onProgress?: (progress: Progress) => void,
  extra: Extra = {},
): Promise<Answer> {
  const shared = { ...commonOf(at), ...extra }
  if (at.dashboardId !== undefined) {
    const params = { dashboardId: at.dashboardId, tileId: tile.id }
    return ask('dashboards.queryTile', { params, body: shared }, signal, onProgress)
  }
  const body: ChartBody = { ...shared, series: tile.series, ...ratioOf(tile) }
  return ask('charts.series', { body }, signal, onProgress)
}

/** A number over the same length of time before. */
export function askBefore(tile: Tile, at: Circumstances, signal: AbortSignal): Promise<Answer> {
  const { from, to } = at.range
  return askTile(tile, { ...at, range: { from: from - (to - from), to: from } }, signal)
}

/** A number over time; null where its series cannot be drawn so. */
export function askCourse(tile: Tile, at: Circumstances, signal: AbortSignal): Promise<Answer> | null {
  if (!hasCourse(tile)) return null
  const series = tile.series.map((one) => ({ ...one, type: 'time' as const }))
  return ask('charts.series', { body: { ...commonOf(at), series, ...ratioOf(tile) } }, signal)
}

export const hasCourse = ({ series }: Tile): boolean =>
  series[0]?.type === 'number' && series.every((one) => one.sql === undefined && one.groupBy.length === 0)

const ratioOf = ({ asRatio }: Tile) => (asRatio ? { seriesReturnType: 'ratio' as const } : {})

const commonOf = ({ range, where, variables }: Circumstances) => ({
  startTime: Math.max(0, Math.floor(range.from)),
  endTime: Math.ceil(range.to),
  ...(where === '' ? {} : { where }),
  ...(Object.keys(variables).length === 0 ? {} : { variables }),
})
