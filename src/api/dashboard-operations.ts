import { Dashboard, DashboardBody, DashboardReplaceBody } from './dashboard.ts'
import type { OperationDetails } from './operation.ts'
import { closed, list, Type } from './schema.ts'

const onDashboard = closed({
  dashboardId: Type.String({ pattern: '^[0-9a-f]{24}$', description: 'The dashboard: 24 hex digits.' }),
})

/** The dashboard API. Answers are `{ data }`, errors `{ message, issues? }`. */
export const dashboardOperations = {
  'dashboards.list': {
    summary: 'List dashboards',
    permission: 'dashboards:view',
    params: closed({}),
    result: list(Dashboard, 'By name.'),
    errors: [],
  },
  'dashboards.create': {
    summary: 'Create a dashboard',
    permission: 'dashboards:manage',
    params: closed({}),
    body: DashboardBody,
    independent: ['tiles'],
    result: Dashboard,
    errors: [],
  },
  'dashboards.get': {
    summary: 'Get a dashboard',
    permission: 'dashboards:view',
    params: onDashboard,
    result: Dashboard,
    errors: [],
  },
  'dashboards.replace': {
    summary: 'Replace a dashboard',
    description: 'What GET answers can be sent back unchanged. Tiles keep the ids that they had.',
    permission: 'dashboards:manage',
    params: onDashboard,
    body: DashboardReplaceBody,
    independent: ['tiles'],
    result: Dashboard,
    errors: [],
  },
  'dashboards.delete': {
    summary: 'Delete a dashboard',
    permission: 'dashboards:manage',
    params: onDashboard,
    result: closed({}),
    errors: [],
  },
} as const satisfies Record<string, OperationDetails>
