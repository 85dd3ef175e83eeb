import type { alertOperations } from '../api/alert-operations.ts'
import {
  alertHistory,
  createAlert,
  deleteAlert,
  getAlert,
  listAlerts,
  replaceAlert,
} from '../control/alerts.ts'
import type { Handlers } from './handler.ts'

/** Each operation on alerts: one call of the control layer. */
export const alertHandlers: Handlers<keyof typeof alertOperations> = {
  'alerts.list': async (control, call) => {
    const { caller, query } = call
    const { limit = 1000, offset = 0 } = query
    const { alerts, total } = await listAlerts(control, caller, { limit, offset })
    call.meta({ total, limit, offset })
    return alerts
  },
  'alerts.create': (control, { caller, body }) => createAlert(control, caller, body),
  'alerts.get': (control, { caller, params }) => getAlert(control, caller, params.alertId),
  'alerts.replace': (control, { caller, params, body }) =>
    replaceAlert(control, caller, params.alertId, body),
  'alerts.delete': (control, { caller, params }) => deleteAlert(control, caller, params.alertId),
  'alerts.history': (control, { caller, params, query }) =>
    alertHistory(control, caller, params.alertId, query.limit ?? 100),
}
