import {
  Dashboard,
  DashboardBody,
  DashboardCheck,
  DashboardReplaceBody,
  DashboardVersion,
  DashboardVersionEntry,
  ImportBody,
  ImportResult,
} from './dashboard.ts'
import type { OperationDetails } from './operation.ts'
import { closed, list, Type } from './schema.ts'

const dashboardId = Type.String({ pattern: '^[0-9a-f]{24}$', description: 'The dashboard: 24 hex digits.' })
const onDashboard = closed({ dashboardId })
const onVersion = closed({
  dashboardId,
  version: Type.String({ pattern: '^[1-9][0-9]{0,14}$', description: 'The version: 1, 2, …' }),
})

/** Dashboards and their versions. */
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
    versioned: true,
    errors: [],
  },
  'dashboards.get': {
    summary: 'Get a dashboard',
    permission: 'dashboards:view',
    params: onDashboard,
    result: Dashboard,
    versioned: true,
    errors: [],
  },
  'dashboards.replace': {
    summary: 'Replace a dashboard',
    description:
      'What GET answers can be sent back unchanged. Tiles keep the ids that they had. With `If-Match` only a dashboard of that version is replaced. One that is kept in step with a file cannot be.',
    permission: 'dashboards:manage',
    params: onDashboard,
    body: DashboardReplaceBody,
    independent: ['tiles'],
    result: Dashboard,
    versioned: true,
    errors: ['CONFLICT', 'PRECONDITION_FAILED'],
  },
  'dashboards.delete': {
    summary: 'Delete a dashboard',
    permission: 'dashboards:manage',
    params: onDashboard,
    result: closed({}),
    errors: ['CONFLICT', 'PRECONDITION_FAILED'],
  },
  'dashboards.validate': {
    summary: 'Check a dashboard',
    description: 'Takes the body of a creation and stores nothing. What is wrong with it is in the answer.',
    permission: 'dashboards:view',
    params: closed({}),
    body: DashboardBody,
    judgesBody: true,
    result: DashboardCheck,
    errors: [],
  },
  'dashboards.import': {
    summary: 'Import a dashboard',
    description:
      'Panels of Grafana on ClickHouse become tiles of SQL; what is not carried over is in the report. Ids are made anew.',
    permission: 'dashboards:manage',
    params: closed({}),
    body: ImportBody,
    result: ImportResult,
    errors: [],
  },
  'dashboards.listVersions': {
    summary: 'List the versions of a dashboard',
    permission: 'dashboards:view',
    params: onDashboard,
    result: list(DashboardVersionEntry, 'The last 50, newest first.'),
    errors: [],
  },
  'dashboards.getVersion': {
    summary: 'Get a version of a dashboard',
    permission: 'dashboards:view',
    params: onVersion,
    result: DashboardVersion,
    errors: [],
  },
  'dashboards.restoreVersion': {
    summary: 'Restore a version of a dashboard',
    description: 'Its content, tile ids too, is saved as a new version.',
    permission: 'dashboards:manage',
    params: onVersion,
    result: Dashboard,
    versioned: true,
    errors: ['CONFLICT', 'PRECONDITION_FAILED'],
  },
} as const satisfies Record<string, OperationDetails>
