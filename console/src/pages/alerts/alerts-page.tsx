import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { liveOf } from '../../frame/live.ts'
import { Page } from '../../frame/page.tsx'
import { confirm } from '../../kit/confirm.tsx'
import { type Column, DataTable } from '../../kit/data-table.tsx'
import { Empty } from '../../kit/empty.tsx'
import { FilterField } from '../../kit/filter-field.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Named } from '../../kit/named.tsx'
import { Panel } from '../../kit/panel.tsx'
import { alertLooks } from '../../kit/states.ts'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { run } from '../../kit/toast.tsx'
import { formatCount } from '../../lib/numbers.ts'
import { useQuery } from '../../lib/url-state.ts'

type Alert = Result<'alerts.list'>[number]

/** Alerts on tiles: what each watches, its value against the threshold, and since when. */
export function AlertsPage() {
  const alerts = useResource('alerts.list', {})
  const [text, sort] = [useQuery('q'), useQuery('sort')]
  return (
    <Page title="Alerts" live={liveOf(alerts)} lead={leadOf(alerts.data.value)}>
      <Panel title="All alerts" tools={<FilterField label="Filter alerts" query={text} />}>
        <Loaded resource={alerts}>
          {(all) =>
            all.length === 0 ? (
              <Empty icon="bell" title="Nothing is watched yet.">
                An alert watches a tile of a dashboard. It is made by the API: POST /api/v2/alerts.
              </Empty>
            ) : (
              <DataTable
                label="Alerts"
                rows={all.filter(({ name }) => name.toLowerCase().includes(text.value.toLowerCase()))}
                rowKey={({ id }) => id}
                columns={columns}
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
  const firing = all.filter(({ state }) => state === 'ALERT')
  return firing.length === 0 ? 'No alert fires.' : `${firing.map(({ name }) => name).join(', ')} needs you.`
}

const columns: Column<Alert>[] = [
  {
    ...{ id: 'name', label: 'Alert', card: 'head' as const, sortBy: ({ name }: Alert) => name },
    cell: (alert) => (
      <Named
        look={alertLooks[alert.state]}
        value={alert.state}
        name={alert.name}
        href={`/dashboards/${alert.dashboardId}?tile=${alert.tileId}`}
        reason={alert.lastError?.message ?? ''}
      />
    ),
  },
  {
    ...{ id: 'value', label: 'Value', isNumber: true, sortBy: ({ lastValue }: Alert) => lastValue ?? 0 },
    cell: ({ lastValue }) => (lastValue === null ? '–' : formatCount(lastValue)),
  },
  {
    ...{ id: 'threshold', label: 'Fires when' },
    cell: ({ thresholdType, threshold, thresholdMax }) =>
      `${thresholdType.replaceAll('_', ' ')} ${formatCount(threshold)}${thresholdMax === undefined ? '' : ` and ${formatCount(thresholdMax)}`}`,
  },
  { id: 'every', label: 'Every', cell: ({ interval }) => interval },
  { id: 'since', label: 'Since', cell: ({ stateSince }) => <TimeAgo at={stateSince} /> },
  {
    ...{ id: 'menu', label: 'Actions', isLabelHidden: true, card: 'menu' as const },
    cell: (alert) => may('dashboards:manage') && <Actions alert={alert} />,
  },
]

function Actions({ alert: { id: alertId, name } }: { alert: Alert }) {
  const remove = async () => {
    const isMeant = await confirm({
      title: `Delete the alert ${name}?`,
      verb: `Delete ${name}`,
      isDangerous: true,
    })
    if (!isMeant) return
    const gone = call('alerts.delete', { params: { alertId } }).then(() => refresh('alerts.list'))
    await run(gone, `${name} was not deleted.`)
  }
  return (
    <Menu
      label={`Actions of ${name}`}
      mark="row-menu"
      entries={[{ name: 'Delete', icon: 'trash', isDangerous: true, onPress: remove }]}
    />
  )
}
