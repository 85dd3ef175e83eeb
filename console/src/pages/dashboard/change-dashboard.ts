import { callFull } from '../../api/call.ts'
import { refresh } from '../../api/resource.ts'
import type { Dashboard } from './dashboard-types.ts'

/** Changes the newest version of a dashboard; somebody else's change in between is refused by the server, not lost. */
export async function changeDashboard(
  dashboardId: string,
  change: (dashboard: Dashboard) => Dashboard,
): Promise<void> {
  const { result, version } = await callFull('dashboards.get', { params: { dashboardId } })
  await callFull('dashboards.replace', {
    params: { dashboardId },
    body: change(result),
    ...(version === null ? {} : { ifMatch: version }),
  })
  refresh('dashboards.get', 'dashboards.list', 'dashboards.listVersions')
}
