/**
 * The method and path of each operation, and nothing else: a browser can use this table, and the client over it,
 * without the schemas. This file imports nothing.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `{name}` for parameters. */
  path: string
  /** The operation takes a body, even if no field of it is required. */
  takesBody?: true
  /**
   * Absent = the result in the envelope. `text` is plain text. `ndjson` and `events` (text/event-stream) write results
   * one by one as they are made; `type` is any other content type, written as its bytes are made, unless the answer
   * declares a more precise one.
   */
  answer?: 'text' | 'ndjson' | 'events' | { readonly type: string }
}

const organization = '/v1/organizations/{organizationId}'
const service = `${organization}/services/{serviceId}`
const user = `${service}/users/{userId}`
const pipe = `${service}/pipes/{pipeId}`
const dashboards = '/api/v2/dashboards'
const charts = '/api/v2/charts'
const sources = '/api/v2/sources'
const alerts = '/api/v2/alerts'

/** By operation id, in the order in which the reference shows them. */
export const routes = {
  'organizations.list': { method: 'GET', path: '/v1/organizations' },
  'organizations.get': { method: 'GET', path: organization },
  'organizations.update': { method: 'PATCH', path: organization, takesBody: true },
  'organizations.metrics': { method: 'GET', path: `${organization}/prometheus`, answer: 'text' },
  'organizations.pipes': { method: 'GET', path: `${organization}/pipes` },
  'organizations.backups': { method: 'GET', path: `${organization}/backups` },
  'organizations.history': { method: 'GET', path: `${organization}/history` },
  'organizations.changes': { method: 'GET', path: `${organization}/changes`, answer: 'events' },

  'quotas.list': { method: 'GET', path: `${organization}/quotas` },
  'quotas.get': { method: 'GET', path: `${organization}/quotas/{quotaCode}` },

  'activities.list': { method: 'GET', path: `${organization}/activities` },
  'activities.get': { method: 'GET', path: `${organization}/activities/{activityId}` },

  'demo.get': { method: 'GET', path: `${organization}/demo` },
  'demo.start': { method: 'POST', path: `${organization}/demo` },
  'demo.remove': { method: 'DELETE', path: `${organization}/demo` },

  'keys.list': { method: 'GET', path: `${organization}/keys` },
  'keys.create': { method: 'POST', path: `${organization}/keys`, takesBody: true },
  'keys.get': { method: 'GET', path: `${organization}/keys/{keyId}` },
  'keys.update': { method: 'PATCH', path: `${organization}/keys/{keyId}`, takesBody: true },
  'keys.delete': { method: 'DELETE', path: `${organization}/keys/{keyId}` },

  'session.create': { method: 'POST', path: '/v1/session', takesBody: true },
  'session.get': { method: 'GET', path: '/v1/session' },
  'session.delete': { method: 'DELETE', path: '/v1/session' },

  'sessions.list': { method: 'GET', path: `${organization}/sessions` },
  'sessions.delete': { method: 'DELETE', path: `${organization}/sessions/{sessionId}` },

  'queries.list': { method: 'GET', path: `${organization}/queries` },
  'queries.create': { method: 'POST', path: `${organization}/queries`, takesBody: true },
  'queries.get': { method: 'GET', path: `${organization}/queries/{namedQueryId}` },
  'queries.replace': { method: 'PUT', path: `${organization}/queries/{namedQueryId}`, takesBody: true },
  'queries.delete': { method: 'DELETE', path: `${organization}/queries/{namedQueryId}` },

  'services.list': { method: 'GET', path: `${organization}/services` },
  'services.create': { method: 'POST', path: `${organization}/services`, takesBody: true },
  'services.get': { method: 'GET', path: service },
  'services.update': { method: 'PATCH', path: service, takesBody: true },
  'services.delete': { method: 'DELETE', path: service },
  'services.updateScaling': { method: 'PATCH', path: `${service}/scaling`, takesBody: true },
  'services.updateReplicaScaling': { method: 'PATCH', path: `${service}/replicaScaling`, takesBody: true },
  'services.updateState': { method: 'PATCH', path: `${service}/state`, takesBody: true },
  'services.resetPassword': { method: 'PATCH', path: `${service}/password`, takesBody: true },
  'services.cancelRestore': { method: 'DELETE', path: `${service}/restore` },
  'services.query': { method: 'POST', path: `${service}/query`, takesBody: true, answer: 'ndjson' },
  'services.export': {
    ...{ method: 'POST', path: `${service}/export`, takesBody: true },
    answer: { type: 'application/octet-stream' },
  },
  'services.cancelQuery': { method: 'DELETE', path: `${service}/queries/{queryId}` },
  'services.history': { method: 'GET', path: `${service}/history` },
  'services.metrics': { method: 'GET', path: `${service}/prometheus`, answer: 'text' },

  'serviceUsers.list': { method: 'GET', path: `${service}/users` },
  'serviceUsers.create': { method: 'POST', path: `${service}/users`, takesBody: true },
  'serviceUsers.get': { method: 'GET', path: user },
  'serviceUsers.update': { method: 'PATCH', path: user, takesBody: true },
  'serviceUsers.delete': { method: 'DELETE', path: user },
  'serviceUsers.resetPassword': { method: 'PATCH', path: `${user}/password`, takesBody: true },

  'pipes.list': { method: 'GET', path: `${service}/pipes` },
  'pipes.create': { method: 'POST', path: `${service}/pipes`, takesBody: true },
  'pipes.discoverSchema': { method: 'POST', path: `${service}/pipes/schemaDiscovery`, takesBody: true },
  'pipes.get': { method: 'GET', path: pipe },
  'pipes.update': { method: 'PATCH', path: pipe, takesBody: true },
  'pipes.delete': { method: 'DELETE', path: pipe },
  'pipes.updateState': { method: 'PATCH', path: `${pipe}/state`, takesBody: true },
  'pipes.updateScaling': { method: 'PATCH', path: `${pipe}/scaling`, takesBody: true },
  'pipes.history': { method: 'GET', path: `${pipe}/history` },
  'pipes.lanes': { method: 'GET', path: `${pipe}/lanes` },
  'pipes.rejectedRecords': { method: 'GET', path: `${pipe}/rejectedRecords` },
  'pipes.rejectedReasons': { method: 'GET', path: `${pipe}/rejectedReasons` },
  'pipes.getSettings': { method: 'GET', path: `${pipe}/settings` },
  'pipes.updateSettings': { method: 'PUT', path: `${pipe}/settings`, takesBody: true },

  'backups.list': { method: 'GET', path: `${service}/backups` },
  'backups.create': { method: 'POST', path: `${service}/backups` },
  'backups.get': { method: 'GET', path: `${service}/backups/{backupId}` },
  'backups.verify': { method: 'POST', path: `${service}/backups/{backupId}/verify` },

  'backupConfiguration.get': { method: 'GET', path: `${service}/backupConfiguration` },
  'backupConfiguration.update': { method: 'PATCH', path: `${service}/backupConfiguration`, takesBody: true },

  'backupBucket.get': { method: 'GET', path: `${service}/backupBucket` },
  'backupBucket.create': { method: 'POST', path: `${service}/backupBucket`, takesBody: true },
  'backupBucket.update': { method: 'PATCH', path: `${service}/backupBucket`, takesBody: true },
  'backupBucket.delete': { method: 'DELETE', path: `${service}/backupBucket` },

  'dashboards.list': { method: 'GET', path: dashboards },
  'dashboards.create': { method: 'POST', path: dashboards, takesBody: true },
  'dashboards.get': { method: 'GET', path: `${dashboards}/{dashboardId}` },
  'dashboards.replace': { method: 'PUT', path: `${dashboards}/{dashboardId}`, takesBody: true },
  'dashboards.delete': { method: 'DELETE', path: `${dashboards}/{dashboardId}` },
  'dashboards.validate': { method: 'POST', path: `${dashboards}/validate`, takesBody: true },
  'dashboards.import': { method: 'POST', path: `${dashboards}/import`, takesBody: true },
  'dashboards.listVersions': { method: 'GET', path: `${dashboards}/{dashboardId}/versions` },
  'dashboards.getVersion': { method: 'GET', path: `${dashboards}/{dashboardId}/versions/{version}` },
  'dashboards.restoreVersion': {
    ...{ method: 'POST', path: `${dashboards}/{dashboardId}/versions/{version}/restore` },
  },

  'dashboards.queryTile': {
    ...{ method: 'POST', path: `${dashboards}/{dashboardId}/tiles/{tileId}/query`, takesBody: true },
  },
  'dashboards.listVariableValues': {
    ...{ method: 'POST', path: `${dashboards}/{dashboardId}/variables/{name}/values`, takesBody: true },
  },

  'charts.series': { method: 'POST', path: `${charts}/series`, takesBody: true },
  'charts.where': { method: 'POST', path: `${charts}/where`, takesBody: true },

  'sources.list': { method: 'GET', path: sources },
  'sources.create': { method: 'POST', path: sources, takesBody: true },
  'sources.proposals': { method: 'GET', path: `${sources}/proposals` },
  'sources.get': { method: 'GET', path: `${sources}/{sourceId}` },
  'sources.replace': { method: 'PUT', path: `${sources}/{sourceId}`, takesBody: true },
  'sources.delete': { method: 'DELETE', path: `${sources}/{sourceId}` },

  'alerts.list': { method: 'GET', path: alerts },
  'alerts.create': { method: 'POST', path: alerts, takesBody: true },
  'alerts.get': { method: 'GET', path: `${alerts}/{alertId}` },
  'alerts.replace': { method: 'PUT', path: `${alerts}/{alertId}`, takesBody: true },
  'alerts.delete': { method: 'DELETE', path: `${alerts}/{alertId}` },
  'alerts.history': { method: 'GET', path: `${alerts}/{alertId}/history` },
} as const satisfies Record<string, Route>

export type RouteId = keyof typeof routes
