import { useResource } from '../../api/resource.ts'
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
import { Menu } from '../../kit/menu.tsx'
import { Named } from '../../kit/named.tsx'
import { Panel } from '../../kit/panel.tsx'
import { Select } from '../../kit/select-field.tsx'
import { Sparkline } from '../../kit/sparkline.tsx'
import { alertLooks } from '../../kit/states.ts'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { run } from '../../kit/toast.tsx'
import { navigate } from '../../lib/address.ts'
import { conditionWords, intervalWords } from '../../lib/alert-words.ts'
import { formatCount } from '../../lib/numbers.ts'
import { useQuery } from '../../lib/url-state.ts'
import { listed } from '../../lib/words.ts'
import { removeAlert, setEnabled } from './alert-commands.ts'
import type { Alert } from './alert-form.tsx'
import './alerts.css'

/** Alerts on tiles: what each watches, its value against the threshold, and since when. */
export function AlertsPage() {
  const alerts = useResource('alerts.list', {})
  const [text, state, sort] = [useQuery('q'), useQuery('state'), useQuery('sort')]
  const canManage = may('dashboards:manage')
  useShortcuts(
    'Alerts',
    canManage ? [{ keys: 'c', name: 'New alert', run: () => void navigate('/alerts/new') }] : [],
  )
  const isWanted = (alert: Alert) =>
    (state.value === '' || alert.state === state.value) &&
    alert.name.toLowerCase().includes(text.value.toLowerCase())
  return (
    <Page
      title="Alerts"
      live={liveOf(alerts)}
      lead={leadOf(alerts.data.value)}
      actions={
        canManage && (
          <Button tone="primary" icon="plus" href="/alerts/new">
            New alert
          </Button>
        )
      }
    >
      <ReadsOnly lacks="dashboards:manage" cannot="make or change alerts" />
      <Panel
        title="All alerts"
        tools={
          <>
            <FilterField label="Filter alerts" query={text} />
            <Select
              label="State"
              isSmall
              value={state.value}
              options={[
                { value: '', name: 'All states' },
                ...Object.entries(alertLooks).map(([value, { word }]) => ({ value, name: word })),
              ]}
              onChange={(value) => state.set(value)}
            />
          </>
        }
      >
        <Loaded resource={alerts}>
          {(all) =>
            all.length === 0 ? (
              <Empty icon="bell" title="Nothing is watched yet.">
                An alert watches a number of a tile, and tells a webhook when it is beyond a threshold.
              </Empty>
            ) : (
              <DataTable
                label="Alerts"
                rows={all.filter(isWanted)}
                rowKey={({ id }) => id}
                columns={columnsOf(canManage)}
                sort={sort}
              />
            )
          }
        </Loaded>
      </Panel>
    </Page>
  )
}

function leadOf(all: readonly Alert[] | undefined): string | undefined {
  if (!all || all.length === 0) return undefined
  const firing = all.filter(({ state }) => state === 'ALERT').map(({ name }) => name)
  return firing.length === 0
    ? 'No alert fires.'
    : `${listed(firing)} ${firing.length === 1 ? 'needs' : 'need'} you.`
}

const columnsOf = (canManage: boolean): Column<Alert>[] => [
  {
    ...{ id: 'name', label: 'Alert', card: 'head' as const, sortBy: ({ name }: Alert) => name },
    cell: (alert) => (
      <Named
        look={alertLooks[alert.state]}
        value={alert.state}
        name={alert.name}
        href={`/alerts/${alert.id}`}
        reason={alert.lastError?.message ?? ''}
      />
    ),
  },
  {
    ...{ id: 'value', label: 'Value', isNumber: true, sortBy: ({ lastValue }: Alert) => lastValue ?? 0 },
    cell: ({ lastValue }) => (lastValue === null ? '–' : formatCount(lastValue)),
  },
  { id: 'course', label: 'Course', card: 'gone', cell: ({ id }) => <Course alertId={id} /> },
  {
    ...{ id: 'threshold', label: 'Fires when', card: 'wide' as const },
    cell: (alert) => conditionWords(alert, formatCount),
  },
  { id: 'every', label: 'Every', cell: ({ interval }) => intervalWords(interval) },
  { id: 'since', label: 'Since', cell: ({ stateSince }) => <TimeAgo at={stateSince} /> },
  {
    ...{ id: 'menu', label: 'Actions', isLabelHidden: true, card: 'menu' as const },
    cell: (alert) => <Actions alert={alert} canManage={canManage} />,
  },
]

/** The last values of an alert, oldest first. */
function Course({ alertId }: { alertId: string }) {
  const history = useResource('alerts.history', { params: { alertId }, query: { limit: 40 } }).data.value
  return <Sparkline class="alert-spark" values={[...(history ?? [])].reverse().map(({ value }) => value)} />
}

function Actions({ alert, canManage }: { alert: Alert; canManage: boolean }) {
  const { id, name, enabled, dashboardId, tileId } = alert
  return (
    <Menu
      label={`Actions of ${name}`}
      mark="row-menu"
      entries={[
        { name: 'Open the tile', icon: 'dashboard', href: `/dashboards/${dashboardId}?tile=${tileId}` },
        canManage && {
          name: enabled ? 'Turn off' : 'Turn on',
          icon: enabled ? 'paused' : 'play',
          onPress: () => run(setEnabled(alert, !enabled), `${name} is as it was.`),
        },
        canManage && 'line',
        canManage && {
          ...{ name: 'Delete', icon: 'trash', isDangerous: true },
          onPress: () => removeAlert(id, name),
        },
      ]}
    />
  )
}
