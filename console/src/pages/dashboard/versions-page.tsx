import { callFull } from '../../api/call.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { Button } from '../../kit/button.tsx'
import { confirm } from '../../kit/confirm.tsx'
import { DataTable } from '../../kit/data-table.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Panel } from '../../kit/panel.tsx'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { run } from '../../kit/toast.tsx'
import { navigate } from '../../lib/address.ts'
import './dashboard.css'
import { inOrder } from './dashboard-body.tsx'
import type { Dashboard } from './dashboard-types.ts'
import { TileView } from './tile/tile-view.tsx'
import { useView } from './use-view.ts'

/** The last 50 versions of a dashboard, and one of them as it was. `newest` is the last one. */
export function VersionsPage({ params }: { params: { dashboardId: string; version: string } }) {
  const { dashboardId } = params
  const versions = useResource('dashboards.listVersions', { params: { dashboardId } })
  const newest = versions.data.value?.[0]?.version
  const version = params.version === 'newest' ? String(newest ?? '') : params.version
  const shown = useResource(
    'dashboards.getVersion',
    { params: { dashboardId, version } },
    { pace: 'still', when: version !== '' },
  )
  const name = shown.data.value?.dashboard.name ?? versions.data.value?.[0]?.name ?? 'Dashboard'
  const isNewest = version === String(newest)
  return (
    <Page
      title={`Versions of ${name}`}
      crumb="Versions"
      crumbs={[
        { name: 'Dashboards', href: '/dashboards' },
        { name, href: `/dashboards/${dashboardId}` },
      ]}
      layout="wide"
      actions={
        may('dashboards:manage') && (
          <Button
            tone="primary"
            icon="history"
            reason={isNewest ? 'This is the newest version.' : null}
            onPress={() => restore(dashboardId, version)}
          >
            Restore version {version}
          </Button>
        )
      }
    >
      <ReadsOnly lacks="dashboards:manage" cannot="restore versions" />
      <Panel title="Versions" note="the last 50">
        <Loaded resource={versions}>
          {(all) => (
            <DataTable
              label="Versions"
              rows={all}
              rowKey={(one) => String(one.version)}
              columns={[
                {
                  ...{ id: 'version', label: 'Version', card: 'head' },
                  cell: (one) => (
                    <a
                      href={`/dashboards/${dashboardId}/versions/${one.version}`}
                      data-mark="row-link"
                      aria-current={String(one.version) === version ? 'true' : undefined}
                    >
                      {one.version}
                      {String(one.version) === version && ', shown below'}
                    </a>
                  ),
                },
                { id: 'saved', label: 'Saved', cell: (one) => <TimeAgo at={one.savedAt} /> },
                { id: 'by', label: 'By', cell: (one) => one.savedBy || <span class="muted">–</span> },
                { id: 'name', label: 'Name', cell: (one) => one.name },
                { id: 'tiles', label: 'Tiles', isNumber: true, cell: (one) => one.tiles },
              ]}
            />
          )}
        </Loaded>
      </Panel>
      {shown.data.value && <Drawn key={version} dashboard={shown.data.value.dashboard} />}
    </Page>
  )
}

/** The version as it would look now. */
function Drawn({ dashboard }: { dashboard: Dashboard }) {
  const view = useView(dashboard)
  return (
    <div class="dashboard-grid">
      {inOrder(dashboard.tiles).map((tile) => (
        <TileView key={tile.id} tile={tile} view={view} wakes={null} />
      ))}
    </div>
  )
}

async function restore(dashboardId: string, version: string): Promise<void> {
  const isAgreed = await confirm({
    title: `Restore version ${version}?`,
    text: 'Its content becomes the newest version. The versions in between stay in the list.',
    verb: `Restore version ${version}`,
    keep: 'Keep the newest',
  })
  if (!isAgreed) return
  const work = callFull('dashboards.restoreVersion', { params: { dashboardId, version } })
  if (!(await run(work, `Version ${version} was not restored.`))) return
  refresh('dashboards.get', 'dashboards.list', 'dashboards.listVersions')
  await navigate(`/dashboards/${dashboardId}`)
}
