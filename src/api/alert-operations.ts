import { alertLimits } from '../domain/alert/types.ts'
import { Alert, AlertBody, AlertHistoryEntry, AlertReplaceBody, AlertsMeta } from './alert.ts'
import type { OperationDetails } from './operation.ts'
import { closed, list, optional, Type } from './schema.ts'

const onAlert = closed({
  alertId: Type.String({ pattern: '^[0-9a-f]{24}$', description: 'The alert: 24 hex digits.' }),
})
const limit = (maximum: number, description: string) =>
  optional(Type.Integer({ minimum: 1, maximum, description }))

/** Alerts on the numbers of tiles. */
export const alertOperations = {
  'alerts.list': {
    summary: 'List alerts',
    permission: 'dashboards:view',
    params: closed({}),
    query: closed({
      limit: limit(1000, 'At most so many. Default 1000.'),
      offset: optional(
        Type.Integer({ minimum: 0, maximum: 1e9, description: 'Leaves out so many. Default 0.' }),
      ),
    }),
    result: list(Alert, 'Oldest first.'),
    meta: AlertsMeta,
    errors: [],
  },
  'alerts.create': {
    summary: 'Create an alert',
    permission: 'dashboards:manage',
    params: closed({}),
    body: AlertBody,
    result: Alert,
    errors: [],
  },
  'alerts.get': {
    summary: 'Get an alert',
    permission: 'dashboards:view',
    params: onAlert,
    result: Alert,
    errors: [],
  },
  'alerts.replace': {
    summary: 'Replace an alert',
    description: 'What GET answers can be sent back unchanged. Without a secret the alert keeps its own.',
    permission: 'dashboards:manage',
    params: onAlert,
    body: AlertReplaceBody,
    result: Alert,
    errors: [],
  },
  'alerts.delete': {
    summary: 'Delete an alert',
    permission: 'dashboards:manage',
    params: onAlert,
    result: closed({}),
    errors: [],
  },
  'alerts.history': {
    summary: 'List the evaluations of an alert',
    permission: 'dashboards:view',
    params: onAlert,
    query: closed({ limit: limit(alertLimits.history, 'At most so many. Default 100.') }),
    result: list(AlertHistoryEntry, 'Newest first; the last 1000 are kept.'),
    errors: [],
  },
} as const satisfies Record<string, OperationDetails>
