import type { dashboardOperations } from '../api/dashboard-operations.ts'
import {
  createDashboard,
  deleteDashboard,
  getDashboard,
  listDashboards,
  replaceDashboard,
} from '../control/dashboards.ts'
import type { Handlers } from './handler.ts'

/** Each operation of the dashboard API: one call of the control layer. */
export const dashboardHandlers: Handlers<keyof typeof dashboardOperations> = {
  'dashboards.list': (control, { caller }) => listDashboards(control, caller),
  'dashboards.create': (control, { caller, body }) => createDashboard(control, caller, body),
  'dashboards.get': (control, { caller, params }) => getDashboard(control, caller, params.dashboardId),
  'dashboards.replace': (control, { caller, params, body }) =>
    replaceDashboard(control, caller, params.dashboardId, body),
  'dashboards.delete': (control, { caller, params }) => deleteDashboard(control, caller, params.dashboardId),
}
