import { call } from '../../api/call.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { liveOf } from '../../frame/live.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { useShortcuts } from '../../frame/shortcuts.ts'
import { Button } from '../../kit/button.tsx'
import { type Column, DataTable } from '../../kit/data-table.tsx'
import { Empty } from '../../kit/empty.tsx'
import { FilterField } from '../../kit/filter-field.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Panel } from '../../kit/panel.tsx'
import { Select } from '../../kit/select-field.tsx'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { run } from '../../kit/toast.tsx'
import { navigate } from '../../lib/address.ts'
import { useQuery } from '../../lib/url-state.ts'
import { counted } from '../../lib/words.ts'
import './dashboards-page.css'
import type { Dashboard } from './dashboard-types.ts'
import { Proposals } from './proposals.tsx'
import { Tags } from './tags.tsx'

export function DashboardsPage() {
  const dashboards = useResource('dashboards.list', {})
  const alerts = useResource('alerts.list', {})
  const q = useQuery('q')
  const tag = useQuery('tag')
  const sort = useQuery('sort')
  const mayManage = may('dashboards:manage')
  useShortcuts(
    'Dashboards',
    mayManage ? [{ keys: 'c', name: 'New dashboard', run: () => void create() }] : [],
  )
  const all = dashboards.data.value ?? []
  const tags = [...new Set(all.flatMap((one) => one.tags))].sort()
  const found = all.filter((one) => fits(one, q.value, tag.value))
  const firing = (alerts.data.value ?? []).filter(({ state }) => state === 'ALERT')
  const columns: Column<Dashboard>[] = [
    {
      ...{ id: 'name', label: 'Name', card: 'head', sortBy: ({ name }) => name.toLowerCase() },
      cell: ({ id, name }) => (
        <a href={`/dashboards/${id}`} data-mark="row-link">
          {name}
        </a>
      ),
    },
    { id: 'tags', label: 'Tags', card: 'wide', cell: (one) => <Tags tags={one.tags} /> },
    {
      ...{ id: 'tiles', label: 'Tiles', isNumber: true, sortBy: ({ tiles }) => tiles.length },
      cell: ({ tiles }) => tiles.length,
    },
    {
      ...{ id: 'alerts', label: 'Alerts firing', isNumber: true },
      sortBy: ({ id }) => firing.filter((one) => one.dashboardId === id).length,
      cell: ({ id }) =>
        firing.filter((one) => one.dashboardId === id).length || <span class="muted">none</span>,
    },
    { id: 'changed', label: 'Changed', card: 'wide', cell: ({ id }) => <Changed dashboardId={id} /> },
  ]
  return (
    <Page
      title="Dashboards"
      live={liveOf(dashboards)}
      lead={dashboards.data.value && all.length > 0 ? leadOf(all, firing.length) : undefined}
      actions={
        mayManage && (
          <>
            <Button icon="download" href="/dashboards/import">
              Import
            </Button>
            <Button tone="primary" icon="plus" onPress={create}>
              New dashboard
            </Button>
          </>
        )
      }
    >
      <ReadsOnly lacks="dashboards:manage" cannot="make or change dashboards" />
      <Loaded resource={dashboards}>
        {() =>
          all.length === 0 ? (
            <>
              <Empty icon="dashboard" title="There is no dashboard yet.">
                A dashboard is a page of tiles over your data. Begin with one that fits a table, import one,
                or make an empty one.
              </Empty>
              {mayManage && <Proposals />}
            </>
          ) : (
            <Panel
              title="All dashboards"
              note={found.length === all.length ? all.length : `${found.length} of ${all.length}`}
              tools={
                <>
                  {tags.length > 0 && (
                    <Select
                      isSmall
                      label="Tag"
                      value={tag.value}
                      options={[
                        { value: '', name: 'any tag' },
                        ...tags.map((value) => ({ value, name: value })),
                      ]}
                      onChange={(value) => tag.set(value)}
                    />
                  )}
                  <FilterField label="Filter dashboards" query={q} />
                </>
              }
            >
              {found.length === 0 ? (
                <Empty title="No dashboard fits the filter." />
              ) : (
                <DataTable
                  label="Dashboards"
                  rows={found}
                  rowKey={({ id }) => id}
                  columns={columns}
                  sort={sort}
                />
              )}
            </Panel>
          )
        }
      </Loaded>
    </Page>
  )
}

const leadOf = (all: readonly Dashboard[], firing: number): string =>
  `${counted(all.length, 'dashboard')}; ${firing === 0 ? 'no alert fires' : `${counted(firing, 'alert')} firing`}.`

function fits({ name, tags }: Dashboard, q: string, tag: string): boolean {
  if (tag !== '' && !tags.includes(tag)) return false
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const text = [name, ...tags].join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
}

function Changed({ dashboardId }: { dashboardId: string }) {
  const versions = useResource('dashboards.listVersions', { params: { dashboardId } }, { pace: 'still' })
  const newest = versions.data.value?.[0]
  if (!newest) return <span class="muted">–</span>
  return (
    <span>
      <TimeAgo at={newest.savedAt} />
      {newest.savedBy !== '' && <span class="muted"> by {newest.savedBy}</span>}
    </span>
  )
}

async function create(): Promise<void> {
  await run(
    call('dashboards.create', { body: { name: 'New dashboard', tiles: [] } }).then((made) => {
      refresh('dashboards.list')
      return navigate(`/dashboards/${made.id}/edit`)
    }),
    'No dashboard was made.',
  )
}
