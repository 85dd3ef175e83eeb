import type { dashboardOperations } from '../api/dashboard-operations.ts'
import {
  createDashboard,
  deleteDashboard,
  etagOf,
  getDashboard,
  getVersion,
  listDashboards,
  listVersions,
  replaceDashboard,
  restoreVersion,
} from '../control/dashboards.ts'
import type { DashboardRecord, SavedDashboard } from '../domain/dashboard/types.ts'
import { judgeDashboard } from './check-dashboard.ts'
import type { Handlers } from './handler.ts'
import { importDashboard } from './import-dashboard.ts'

/** Each operation of the dashboard API: one call of the control layer. */
export const dashboardHandlers: Handlers<keyof typeof dashboardOperations> = {
  'dashboards.list': (control, { caller }) => listDashboards(control, caller),
  'dashboards.create': async (control, call) =>
    tagged(call, await createDashboard(control, call.caller, call.body)),
  'dashboards.get': async (control, call) =>
    tagged(call, await getDashboard(control, call.caller, call.params.dashboardId)),
  'dashboards.replace': async (control, call) => {
    const { caller, params, body } = call
    return tagged(call, await replaceDashboard(control, caller, params.dashboardId, body, ifMatch(call)))
  },
  'dashboards.delete': (control, call) =>
    deleteDashboard(control, call.caller, call.params.dashboardId, ifMatch(call)),
  'dashboards.validate': (control, { caller, body }) => judgeDashboard(control, caller, body),
  'dashboards.import': (control, call) => importDashboard(control, call),
  'dashboards.listVersions': (control, { caller, params }) =>
    listVersions(control, caller, params.dashboardId),
  'dashboards.getVersion': (control, { caller, params }) =>
    getVersion(control, caller, params.dashboardId, Number(params.version)),
  'dashboards.restoreVersion': async (control, call) => {
    const { caller, params } = call
    const version = Number(params.version)
    return tagged(call, await restoreVersion(control, caller, params.dashboardId, version, ifMatch(call)))
  },
}

const ifMatch = (call: { requestHeader(name: string): string | undefined }): string | undefined =>
  call.requestHeader('if-match')

/** The dashboard; its version goes into the header ETag. */
function tagged(
  call: { header(name: string, value: string): void },
  { dashboard, version }: SavedDashboard,
): DashboardRecord {
  call.header('etag', etagOf(version))
  return dashboard
}
