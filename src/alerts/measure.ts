import type { Measured } from '../domain/alert/evaluate.ts'
import type { AlertRecord } from '../domain/alert/types.ts'
import type { DashboardRecord, Series, Tile } from '../domain/dashboard/types.ts'
import { invalid } from '../domain/errors.ts'
import type { ServiceState } from '../domain/service/types.ts'
import { resolveSource } from '../domain/source/resolve.ts'
import type { SourceRecord } from '../domain/source/types.ts'
import type { Queries } from '../queries/queries.ts'
import type { Store } from '../store/store.ts'

export interface MeasureRequest {
  alert: AlertRecord
  dashboard: DashboardRecord
  tile: Tile
  span: { startMs: number; endMs: number }
  signal: AbortSignal
}

/** The numbers that a tile shows over a range; null = a service of it sleeps or is stopped, and is not woken. */
export type Measure = (request: MeasureRequest) => Promise<Measured[] | null>

/** More groups than any tile shows; those beyond are not looked at. */
const mostGroups = 1000

/** States in which a question wakes nothing. */
const awake: ReadonlySet<ServiceState> = new Set(['running', 'degraded', 'partially_running'])

/** Asks the first series of a tile, or its ratio, as a number. Rejects with an AppError. */
export function createMeasure({ store, queries }: { store: Store; queries: Pick<Queries, 'ask'> }): Measure {
  return async ({ alert, dashboard, tile, span, signal }) => {
    const sources = await store.sources.list(alert.organizationId)
    const asked = tile.series.slice(0, tile.asRatio ? 2 : 1)
    const series = asked.map((each, index) => ({ series: each, source: sourceOf(sources, each, index) }))
    for (const { source } of series) {
      const service = await store.services.get(alert.organizationId, source.serviceId)
      if (!service || !awake.has(service.status.state)) return null
    }
    const { data } = await queries.ask(
      {
        ...{ type: 'number', series, isRatio: tile.asRatio, span, granularity: 'auto' },
        ...{ where: '', whereLanguage: 'lucene', variables: defaultsOf(dashboard), groupLimit: mostGroups },
        ...{ isSpanGiven: true, refresh: true, principal: `alert:${alert.id}` },
      },
      { signal },
    )
    // The row without a group is the sum of those beyond the limit, and no group.
    return data.flatMap((row) =>
      Array.isArray(row['group'])
        ? [{ group: row['group'] as (string | null)[], value: numberOf(row['series_0.data']) }]
        : [],
    )
  }
}

function sourceOf(sources: readonly SourceRecord[], series: Series, index: number): SourceRecord {
  const found = resolveSource(sources, series)
  if ('issue' in found) throw invalid([{ ...found.issue, path: ['series', index, ...found.issue.path] }])
  return found.source
}

const defaultsOf = ({ variables = [] }: DashboardRecord) =>
  Object.fromEntries(variables.map(({ name, default: chosen = null }) => [name, chosen]))

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)
