import { useEffect } from 'preact/hooks'
import type { Resource } from '../../api/resources.ts'
import { may } from '../../api/session.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { useShortcuts } from '../../frame/shortcuts.ts'
import { Button } from '../../kit/button.tsx'
import { copyText } from '../../kit/copy.tsx'
import { useCssVars } from '../../kit/css-vars.ts'
import { Empty } from '../../kit/empty.tsx'
import { navigate, search } from '../../lib/address.ts'
import { isWatchable } from '../../lib/alert-words.ts'
import { setQuery, useQuery } from '../../lib/url-state.ts'
import { DashboardBar } from './dashboard-bar.tsx'
import type { Dashboard, Tile } from './dashboard-types.ts'
import { Tags } from './tags.tsx'
import { TileView } from './tile/tile-view.tsx'
import { duplicateTile, removeTile } from './tile-actions.ts'
import { useView, type View } from './use-view.ts'
import { useWaking } from './waking.ts'

const crumbs = [{ name: 'Dashboards', href: '/dashboards' }]

/** A dashboard as it is read. All of its state is in the address. */
export function DashboardBody({
  dashboard,
  resource,
}: {
  dashboard: Dashboard
  resource: Resource<Dashboard>
}) {
  const tileId = useQuery('tile').value
  const kiosk = useQuery('kiosk')
  const full = dashboard.tiles.find(({ id }) => id === tileId)
  const view = useView(dashboard, full ? 'tile.' : '')
  const wakes = useWaking()
  useKiosk(kiosk.value !== '')
  const mayManage = may('dashboards:manage')
  const editHref = `/dashboards/${dashboard.id}/edit${search.value}`
  useShortcuts('Dashboard', [
    { keys: 'r', name: 'Refresh', run: () => view.refresh() },
    { keys: '[', name: 'Earlier', run: () => view.move('earlier') },
    { keys: ']', name: 'Later', run: () => view.move('later') },
    { keys: '-', name: 'Zoom out', run: () => view.move('out') },
    { keys: 'f', name: 'Tile in full screen', run: () => openFull(full ? null : focusedTile(dashboard)) },
    { keys: 'K', name: 'Kiosk', run: () => kiosk.set(kiosk.value === '' ? '1' : '') },
    { keys: 's', name: 'Copy the link', run: () => void copyText(location.href) },
    ...(mayManage ? [{ keys: 'e', name: 'Edit', run: () => void navigate(editHref) }] : []),
  ])
  return (
    <div class="dashboard">
      <Page
        title={dashboard.name}
        crumbs={crumbs}
        layout="wide"
        live={{
          answeredAt: Math.floor(view.answeredFor / 1000) * 1000,
          isOld: resource.error.value !== null,
        }}
        badge={<Tags tags={dashboard.tags} />}
        actions={
          <DashboardBar {...{ dashboard, view, mayManage, editHref }} onKiosk={() => kiosk.set('1')} />
        }
      >
        {kiosk.value === '' ? (
          <ReadsOnly lacks="dashboards:manage" cannot="change dashboards" />
        ) : (
          <KioskSigns view={view} onLeave={() => kiosk.set('')} />
        )}
        {full ? (
          <TileView
            key={`full ${full.id}`}
            {...{ tile: full, view, dashboardId: dashboard.id, wakes: wakes(full) }}
            isFull
            entries={[{ name: 'Back to the dashboard', icon: 'left', onPress: () => openFull(null) }]}
          />
        ) : dashboard.tiles.length === 0 ? (
          <Empty
            icon="dashboard"
            title="This dashboard has no tiles."
            actions={
              mayManage && (
                <Button icon="plus" href={`/dashboards/${dashboard.id}/tiles/new`}>
                  New tile
                </Button>
              )
            }
          >
            A tile shows a number, a course over time, a table, rows or a text.
          </Empty>
        ) : (
          <div class="dashboard-grid">
            {inOrder(dashboard.tiles).map((tile) => (
              <TileView
                key={tile.id}
                {...{ tile, view, dashboardId: dashboard.id, wakes: wakes(tile) }}
                entries={[
                  { name: 'Full screen', icon: 'expand', keys: 'f', onPress: () => openFull(tile.id) },
                  mayManage && {
                    ...{ name: 'Edit tile', icon: 'edit' },
                    href: `/dashboards/${dashboard.id}/tiles/${tile.id}${search.value}`,
                  },
                  mayManage && {
                    ...{ name: 'Duplicate', icon: 'copy', onPress: () => duplicateTile(dashboard.id, tile) },
                  },
                  mayManage &&
                    isWatchable(tile.series[0]?.type) && {
                      ...{ name: 'New alert', icon: 'bell' },
                      href: `/alerts/new?dashboard=${dashboard.id}&tile=${tile.id}`,
                    },
                  mayManage && {
                    ...{ name: 'Delete tile', icon: 'trash', isDangerous: true },
                    onPress: () => removeTile(dashboard.id, tile),
                  },
                ]}
              />
            ))}
          </div>
        )}
      </Page>
    </div>
  )
}

/** In reading order: that of the keyboard, and of a narrow window. */
export const inOrder = (tiles: readonly Tile[]): Tile[] => [...tiles].sort((a, b) => a.y - b.y || a.x - b.x)

/** The full screen has a range of its own; leaving it gives the page's back. */
function openFull(tileId: string | null): void {
  setQuery({ tile: tileId, 'tile.from': null, 'tile.to': null }, { push: true })
}

function focusedTile({ tiles }: Dashboard): string | null {
  const id = document.activeElement?.closest<HTMLElement>('[data-tile]')?.dataset['tile']
  return id ?? inOrder(tiles)[0]?.id ?? null
}

/** Without the frame, for a wall. */
function useKiosk(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    document.documentElement.dataset['kiosk'] = 'true'
    return () => {
      delete document.documentElement.dataset['kiosk']
    }
  }, [isOn])
}

/** When the next refresh comes, as a hairline; Esc leaves. */
function KioskSigns({ view, onLeave }: { view: View; onLeave: () => void }) {
  useEffect(() => {
    const leave = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) onLeave()
    }
    document.addEventListener('keydown', leave)
    return () => document.removeEventListener('keydown', leave)
  }, [])
  const ref = useCssVars<HTMLDivElement>({ '--every': `${view.everyMs ?? 0}ms` })
  return (
    <>
      {view.everyMs !== null && <div key={view.tick} class="kiosk-hairline" ref={ref} aria-hidden="true" />}
      <p class="sr">Kiosk. Esc leaves it.</p>
    </>
  )
}
