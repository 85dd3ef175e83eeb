import { call } from '../../api/call.ts'
import { refresh } from '../../api/resource.ts'
import { Button } from '../../kit/button.tsx'
import { confirm } from '../../kit/confirm.tsx'
import { copyText } from '../../kit/copy.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Select } from '../../kit/select-field.tsx'
import { run } from '../../kit/toast.tsx'
import { navigate } from '../../lib/address.ts'
import { setQuery } from '../../lib/url-state.ts'
import { counted } from '../../lib/words.ts'
import type { Dashboard } from './dashboard-types.ts'
import { FilterBox } from './filter-box.tsx'
import { download } from './tile/tile-csv.ts'
import { TimePicker } from './time-picker.tsx'
import type { View } from './use-view.ts'
import { VariablesBar } from './variables-bar.tsx'

export interface DashboardBarProps {
  dashboard: Dashboard
  view: View
  mayManage: boolean
  editHref: string
  onKiosk: () => void
}

/** One bar: range, refresh, variables, filter of all tiles; then what can be done with the dashboard. */
export function DashboardBar({ dashboard, view, mayManage, editHref, onKiosk }: DashboardBarProps) {
  return (
    <div class="dashboard-bar">
      <TimePicker view={view} />
      <RefreshChoice view={view} />
      <VariablesBar dashboard={dashboard} values={view.variables} />
      <FilterBox dashboard={dashboard} where={view.where} />
      <Menu
        label={`Actions of ${dashboard.name}`}
        size="small"
        mark="page-menu"
        entries={[
          { name: 'Copy the link', icon: 'link', keys: 's', onPress: () => copyText(location.href) },
          { name: 'Kiosk', icon: 'expand', keys: 'K', onPress: onKiosk },
          { name: 'Versions', icon: 'history', href: `/dashboards/${dashboard.id}/versions/newest` },
          { name: 'Export', icon: 'download', onPress: () => exportDashboard(dashboard) },
          mayManage && 'line',
          mayManage && { name: 'New tile', icon: 'plus', href: `/dashboards/${dashboard.id}/tiles/new` },
          mayManage && {
            ...{ name: 'Delete dashboard', icon: 'trash', isDangerous: true },
            onPress: () => deleteDashboard(dashboard),
          },
        ]}
      />
      {mayManage && (
        <Button icon="edit" href={editHref}>
          Edit
        </Button>
      )}
    </div>
  )
}

function RefreshChoice({ view }: { view: View }) {
  const choices = ['', '5s', '10s', '30s', '1m', '5m', '15m', '1h']
  const all = choices.includes(view.every) ? choices : [...choices, view.every]
  return (
    <>
      <Button icon="refresh" label="Refresh" onPress={() => view.refresh()} />
      <Select
        label="Refresh every"
        value={view.every}
        options={all.map((value) => ({ value, name: value === '' ? 'by hand' : words(value) }))}
        onChange={(value) => setQuery({ refresh: value })}
      />
    </>
  )
}

const words = (every: string): string => every.replace(/m$/, ' min').replace(/([sh])$/, ' $1')

export function exportDashboard(dashboard: Dashboard): void {
  download(`${dashboard.name}.json`, `${JSON.stringify(dashboard, null, 2)}\n`, 'application/json')
}

async function deleteDashboard(dashboard: Dashboard): Promise<void> {
  const isAgreed = await confirm({
    title: `Delete dashboard ${dashboard.name}?`,
    text: `Its ${counted(dashboard.tiles.length, 'tile')}, their alerts and all its versions go. Export in the same menu keeps a file.`,
    verb: 'Delete dashboard',
    isDangerous: true,
  })
  if (!isAgreed) return
  const work = call('dashboards.delete', { params: { dashboardId: dashboard.id } })
  if (!(await run(work, `${dashboard.name} was not deleted.`))) return
  refresh('dashboards.list')
  await navigate('/dashboards')
}
