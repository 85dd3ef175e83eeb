import { useEffect, useState } from 'preact/hooks'
import { type ApiError, toApiError } from '../../../api/api-error.ts'
import { callFull } from '../../../api/call.ts'
import { may } from '../../../api/session.ts'
import { Page } from '../../../frame/page.tsx'
import { ReadsOnly } from '../../../frame/reads-only.tsx'
import { ErrorBox } from '../../../kit/error-box.tsx'
import { Skeleton } from '../../../kit/skeleton.tsx'
import { freePlace } from '../../../lib/grid.ts'
import '../dashboard.css'
import type { Dashboard, Tile } from '../dashboard-types.ts'
import { newTileId } from '../tile-actions.ts'
import './tile-editor.css'
import { TileEditor } from './tile-editor.tsx'

const crumbs = [{ name: 'Dashboards', href: '/dashboards' }]

/** One tile of a dashboard; `new` begins one. */
export function TileEditorPage({ params }: { params: { dashboardId: string; tileId: string } }) {
  const { dashboardId, tileId } = params
  const [read, setRead] = useState<{ dashboard: Dashboard; version: string | null } | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const load = async () => {
    try {
      const { result, version } = await callFull('dashboards.get', { params: { dashboardId } })
      setError(null)
      setRead({ dashboard: result, version })
    } catch (thrown) {
      setError(toApiError(thrown))
    }
  }
  useEffect(() => void load(), [dashboardId])
  const tile =
    read &&
    (tileId === 'new' ? newTile(read.dashboard) : read.dashboard.tiles.find(({ id }) => id === tileId))
  if (!may('dashboards:manage')) {
    return (
      <Page title="Tile" crumbs={crumbs}>
        <ReadsOnly lacks="dashboards:manage" cannot="change tiles" />
      </Page>
    )
  }
  if (read && tile) return <TileEditor key={tileId} {...read} tile={tile} isNew={tileId === 'new'} />
  return (
    <Page title="Tile" crumbs={crumbs}>
      {error ? (
        <ErrorBox error={error} retry={load} />
      ) : read ? (
        <p>
          This dashboard has no tile {tileId}.{' '}
          <a href={`/dashboards/${dashboardId}`}>{read.dashboard.name}</a>
        </p>
      ) : (
        <Skeleton rows={8} />
      )}
    </Page>
  )
}

function newTile({ tiles }: Dashboard): Tile {
  return {
    ...{ id: newTileId(), name: 'New tile', w: 12, h: 6, ...freePlace(tiles, 12, 6), asRatio: false },
    series: [{ type: 'time', dataSource: 'events', aggFn: 'count', where: '', groupBy: [] }],
  }
}
