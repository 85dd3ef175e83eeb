import { planAlert } from '../../domain/alert/rules.ts'
import type { AlertStatus } from '../../domain/alert/types.ts'
import { viewAlert } from '../../domain/alert/view.ts'
import { planBucket, viewBucket } from '../../domain/backup/bucket.ts'
import { defaultBackupConfiguration } from '../../domain/backup/configuration.ts'
import { viewBackup } from '../../domain/backup/view.ts'
import { importGrafana } from '../../domain/dashboard/grafana/import.ts'
import { planDashboard } from '../../domain/dashboard/rules.ts'
import { dashboardWarnings } from '../../domain/dashboard/warnings.ts'
import { viewDemo } from '../../domain/demo/view.ts'
import { commandsOfPipe } from '../../domain/pipe/commands.ts'
import { planCreate } from '../../domain/pipe/create.ts'
import { viewPipe } from '../../domain/pipe/view.ts'
import { viewNamedQuery } from '../../domain/query/types.ts'
import { commandsOfService } from '../../domain/service/commands.ts'
import { planService } from '../../domain/service/create.ts'
import { planUser, viewUser } from '../../domain/service/user.ts'
import { viewService } from '../../domain/service/view.ts'
import { planSource } from '../../domain/source/plan.ts'
import { proposeSource } from '../../domain/source/propose.ts'
import type { TableDescription } from '../../domain/source/types.ts'
import { viewSource } from '../../domain/source/view.ts'
import type { OperationId, ResultOf } from '../operations.ts'
import { exampleTimeMs, exampleIds as ids } from './example-ids.ts'
import {
  activity,
  exampleAxis,
  exampleSums,
  identity,
  key,
  metrics,
  organization,
  quota,
  session,
} from './example-records.ts'
import { exampleRequests } from './examples.ts'

/**
 * An example answer for each operation. The resources in it are made from the example requests by the rules of
 * the domain, as the server makes them, so an example request that breaks a rule fails here.
 */
export function createExampleResults(): { [Id in OperationId]: ResultOf<Id> } {
  const service = exampleService()
  const user = exampleUser()
  const pipe = examplePipe()
  const backup = exampleBackup()
  const bucket = exampleBucket()
  const dashboard = exampleDashboard()
  const source = exampleSource()
  const alert = exampleAlert(dashboard)
  const demo = exampleDemo()
  const namedQuery = viewNamedQuery({
    ...{
      id: ids.namedQuery,
      organizationId: ids.organization,
      ...exampleRequests['queries.create'].plain.value,
    },
    ...{ createdAtMs: exampleTimeMs, updatedAtMs: exampleTimeMs },
  })
  return {
    'organizations.list': [organization],
    'organizations.get': organization,
    'organizations.update': { ...organization, name: 'Acme Analytics' },
    'organizations.metrics': metrics,
    'organizations.pipes': [{ ...pipe, serviceName: service.name }],
    'organizations.backups': [
      {
        serviceId: service.id,
        serviceName: service.name,
        ...{ newest: backup, newestGood: backup, running: null },
        nextDueAt: new Date(exampleTimeMs + 86_400_000).toISOString(),
        reason: 'the last good backup began 0 min ago; the next is due in 24 h',
        bucketPath: '',
      },
    ],
    'organizations.history': { ...exampleAxis, ...exampleSums },
    'organizations.changes': { resource: 'service', id: service.id, serviceId: service.id, version: 3 },
    'quotas.list': [quota],
    'quotas.get': quota,
    'activities.list': [activity],
    'activities.get': activity,
    'demo.get': demo,
    'demo.start': demo,
    'demo.remove': { ...demo, state: 'removing' },
    'keys.list': [key],
    'keys.create': { key, keyId: 'mkQ7dYtR2pXwVb4Zs9Lc', keySecret: 'shown once', token: '' },
    'keys.get': key,
    'keys.update': { ...key, state: 'disabled' },
    'keys.delete': key,
    'session.create': identity,
    'session.get': identity,
    'session.delete': {},
    'sessions.list': [session],
    'sessions.delete': { ...session, isCurrent: false },
    'queries.list': [namedQuery],
    'queries.create': namedQuery,
    'queries.get': namedQuery,
    'queries.replace': { ...namedQuery, ...exampleRequests['queries.replace'].plain.value },
    'queries.delete': namedQuery,
    'services.list': [service],
    'services.create': { service, password: 'shown once' },
    'services.get': service,
    'services.update': { ...service, name: 'analytics-eu' },
    'services.delete': { ...service, state: 'terminating', desiredState: 'stopped' },
    'services.updateScaling': {
      ...service,
      minTotalMemoryGb: 24,
      maxTotalMemoryGb: 48,
      minReplicaMemoryGb: 8,
      maxReplicaMemoryGb: 16,
    },
    'services.updateReplicaScaling': {
      ...service,
      minTotalMemoryGb: 48,
      maxTotalMemoryGb: 192,
      ...exampleRequests['services.updateReplicaScaling'].vertical.value,
    },
    'services.updateState': { ...service, state: 'stopping', desiredState: 'stopped' },
    'services.resetPassword': { password: 'shown once' },
    'services.cancelRestore': { ...service, state: 'terminating', desiredState: 'stopped' },
    'services.query': { kind: 'rows', rows: [['Acme', '18446744073709551615']] },
    'services.export': '"customer","total"\n"Acme",1042.5\n',
    'services.cancelQuery': { queryId: ids.query },
    'services.history': {
      ...exampleAxis,
      replicas: [{ name: '1', memoryBytes: [2_147_483_648, null] }],
      ...{ memoryLimitBytes: [8_589_934_592, null], storedBytes: [1_073_741_824, null] },
      ...{ queries: [12, 0], rowsRead: [120_000, 0], rowsWritten: [5_000, 0] },
      asleep: [{ from: exampleAxis.times[1] ?? '', to: exampleAxis.to }],
      changes: [
        {
          at: exampleAxis.from,
          kind: 'service_autoscaled',
          reason: 'queries held 7 GB of 8 GB: more memory',
        },
      ],
    },
    'services.metrics': metrics,
    'serviceUsers.list': [user],
    'serviceUsers.create': { user, password: 'shown once' },
    'serviceUsers.get': user,
    'serviceUsers.update': { ...user, role: 'readWrite' },
    'serviceUsers.delete': user,
    'serviceUsers.resetPassword': { password: 'shown once' },
    'pipes.list': [pipe],
    'pipes.create': pipe,
    'pipes.discoverSchema': {
      fields: [
        { name: 'id', type: 'Int64' },
        { name: 'amount', type: 'Float64' },
        { name: 'customer.city', type: 'String' },
      ],
      records: [
        ['1', '4.1', 'Bremen'],
        ['2', '19.99', 'Utrecht'],
      ],
      rows: [
        { values: ['1', '4.1'], reason: null, field: null, raw: '{"id":1,"amount":4.1}' },
        {
          ...{ values: [], reason: "Cannot parse input: expected ',' before: '\"n/a\"'", field: 'amount' },
          raw: '{"id":2,"amount":"n/a"}',
        },
      ],
    },
    'pipes.get': pipe,
    'pipes.update': { ...pipe, name: 'orders v2' },
    'pipes.delete': pipe,
    'pipes.updateState': { ...pipe, state: 'Stopping' },
    'pipes.updateScaling': {
      ...pipe,
      scaling: { ...pipe.scaling, ...exampleRequests['pipes.updateScaling'].larger.value },
    },
    'pipes.history': {
      ...exampleAxis,
      ...{ recordsIn: [6_000, 6_100], recordsWritten: [5_999, 6_100], bytesIn: [900_000, 915_000] },
      ...{ behindRecords: [40, 0], behindSeconds: [2, 0], rejected: [1, 0] },
    },
    'pipes.lanes': [
      {
        ...{ name: 'orders/0', position: '18204', end: '18211', behindRecords: 7, worker: 0 },
        updatedAt: new Date(exampleTimeMs).toISOString(),
      },
    ],
    'pipes.rejectedRecords': [
      {
        ...{
          at: new Date(exampleTimeMs).toISOString(),
          source: 'orders/0',
          position: '18190',
          code: 'parse',
        },
        reason: "Cannot parse input: expected '\"' before: 'abc\"}': (while reading the value of key id)",
        ...{ field: 'id', raw: '{"id":"abc"}', isBase64: false, isTruncated: false, rawSize: 12 },
      },
    ],
    'pipes.rejectedReasons': [
      {
        ...{ code: 'parse', count: 41 },
        reason: "Cannot parse input: expected '\"' before: 'abc\"}': (while reading the value of key id)",
        firstAt: new Date(exampleTimeMs - 60_000).toISOString(),
        lastAt: new Date(exampleTimeMs).toISOString(),
      },
    ],
    'pipes.getSettings': pipe.settings,
    'pipes.updateSettings': { ...pipe.settings, streaming_max_insert_wait_ms: 1000 },
    'backups.list': [backup],
    'backups.create': {
      ...backup,
      finishedAt: '',
      sizeInBytes: 0,
      durationInSeconds: 0,
      status: 'in_progress',
      progress: { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0, percent: 0 },
      verification: { status: 'none', checkedAt: '', reason: '' },
    },
    'backups.get': backup,
    'backups.verify': {
      ...backup,
      progress: { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0, percent: 0 },
      verification: { ...backup.verification, status: 'in_progress' },
    },
    'backupConfiguration.get': defaultBackupConfiguration,
    'backupConfiguration.update': exampleRequests['backupConfiguration.update'].daily.value,
    'backupBucket.get': bucket,
    'backupBucket.create': bucket,
    'backupBucket.update': {
      ...bucket,
      accessKeyId: exampleRequests['backupBucket.update'].rotate.value.accessKeyId,
    },
    'backupBucket.delete': bucket,
    'dashboards.list': [dashboard],
    'dashboards.create': dashboard,
    'dashboards.get': dashboard,
    'dashboards.replace': { ...dashboard, tiles: dashboard.tiles.map((tile) => ({ ...tile, w: 24 })) },
    'dashboards.delete': {},
    'dashboards.validate': exampleCheck(),
    'dashboards.import': exampleImport(),
    'dashboards.listVersions': [
      { ...saved, version: 2, name: dashboard.name, tiles: 1 },
      { ...saved, version: 1, name: dashboard.name, tiles: 0 },
    ],
    'dashboards.getVersion': { ...saved, version: 2, dashboard },
    'dashboards.restoreVersion': dashboard,
    'dashboards.queryTile': chartRows,
    'dashboards.listVariableValues': ['api', 'web'],
    'charts.series': chartRows,
    'charts.where': {
      ...{ valid: true, english: 'level contains "error" and not (status is at least 500)', errors: [] },
    },
    'sources.list': [source],
    'sources.create': source,
    'sources.proposals': [exampleProposal],
    'sources.get': source,
    'sources.replace': { ...source, ...exampleRequests['sources.replace'].aliases.value },
    'sources.delete': {},
    'alerts.list': [alert],
    'alerts.create': {
      ...alert,
      channel: { ...alert.channel, secret: 'whsec_shown/this/once/and/never/again+' },
    },
    'alerts.get': alert,
    'alerts.replace': { ...alert, enabled: false, state: 'DISABLED' },
    'alerts.delete': {},
    'alerts.history': [exampleEntry],
  }
}

const chartMeta = {
  ...{ type: 'time', startTime: 1768471200000, endTime: 1768474800000, granularity: '30m' },
  ...{ series: [{ name: 'count' }], groups: { shown: 1, hidden: 0 }, where: ['level contains "error"'] },
  ...{
    sql: ['SELECT …'],
    stats: { elapsedMs: 7, rowsRead: 8192, bytesRead: 131072, cached: false },
    woken: false,
  },
}

/** What is beside `data` in an answer. */
export const exampleMetas: Partial<Record<string, object>> = {
  'alerts.list': { total: 1, limit: 1000, offset: 0 },
  'dashboards.queryTile': chartMeta,
  'charts.series': chartMeta,
}

function exampleService(): ResultOf<'services.get'> {
  const planned = planService(exampleRequests['services.create'].plain.value, {
    organization,
    isPrimary: true,
  })
  if ('issues' in planned) throw broken('service', planned.issues)
  const { spec } = planned
  const record = {
    id: ids.service,
    organizationId: ids.organization,
    warehouseId: ids.warehouse,
    isPrimary: true,
    generation: 1,
    spec,
    status: {
      state: 'running',
      reason: 'All replicas answer.',
      sinceMs: exampleTimeMs,
      observedGeneration: 1,
      dbVersion: '26.7',
      provisioned: true,
      current: { numReplicas: spec.numReplicas, replicaMemoryGb: spec.minReplicaMemoryGb },
    },
    endpointPort: 18123,
    createdAtMs: exampleTimeMs,
    updatedAtMs: exampleTimeMs,
  } as const
  const view = viewService(record, { protocol: 'http', host: '127.0.0.1' })
  return { ...view, ...commandsOfService(record, false) }
}

function exampleUser(): ResultOf<'serviceUsers.get'> {
  const planned = planUser(exampleRequests['serviceUsers.create'].reader.value)
  if ('issues' in planned) throw broken('user', planned.issues)
  const times = { createdAtMs: exampleTimeMs, updatedAtMs: exampleTimeMs }
  return viewUser({ id: ids.user, serviceId: ids.service, ...planned.user, ...times })
}

function examplePipe(): ResultOf<'pipes.get'> {
  const planned = planCreate(exampleRequests['pipes.create'].kafka.value)
  if (!planned.ok) throw broken('pipe', planned.issues)
  const record = {
    id: ids.pipe,
    serviceId: ids.service,
    spec: planned.plan.spec,
    status: { state: 'Running', reason: '', since: exampleTimeMs, observedGeneration: 1 },
    createdAtMs: exampleTimeMs,
    updatedAtMs: exampleTimeMs,
  } as const
  return { ...viewPipe(record), ...commandsOfPipe(record, 'running') }
}

function exampleBackup(): ResultOf<'backups.get'> {
  const record = {
    id: ids.backup,
    organizationId: ids.organization,
    serviceId: ids.service,
    generation: 1,
    startedAtMs: exampleTimeMs,
    finishedAtMs: exampleTimeMs + 42_000,
    status: 'done',
    type: 'full',
    reason: '',
    sizeInBytes: 734_003_200,
    baseId: null,
    requestedBy: 'user',
    place: 'local',
    damaged: false,
    progress: { bytes: 734_003_200, totalBytes: 734_003_200, files: 212, totalFiles: 212 },
    verification: { status: 'good', checkedAtMs: exampleTimeMs + 42_000, reason: '' },
    backupName: '',
    bucket: { bucketPath: '', iamRoleArn: '', iamRoleSessionName: '' },
  } as const
  return viewBackup(record, exampleTimeMs)
}

function exampleBucket(): ResultOf<'backupBucket.get'> {
  const planned = planBucket(exampleRequests['backupBucket.create'].keys.value)
  if ('issues' in planned) throw broken('bucket', planned.issues)
  const owner = { organizationId: ids.organization, serviceId: ids.service, isCurrent: true }
  const times = { createdAtMs: exampleTimeMs, updatedAtMs: exampleTimeMs }
  return viewBucket({ id: ids.bucket, ...owner, ...planned.bucket, ...times })
}

function exampleDashboard(): ResultOf<'dashboards.get'> {
  const planned = planDashboard(exampleRequests['dashboards.create'].chart.value, {
    nowMs: 0,
    newTileId: () => ids.tile,
  })
  if (!('dashboard' in planned)) throw broken('dashboard', planned)
  return { id: ids.dashboard, ...planned.dashboard }
}

function exampleImport(): ResultOf<'dashboards.import'> {
  const { dashboard: given } = exampleRequests['dashboards.import'].grafana.value
  const imported = importGrafana(given, { dataSource: 'events', nowMs: 0 })
  if (!('body' in imported)) throw broken('dashboard of Grafana', imported)
  const planned = planDashboard(imported.body, { nowMs: 0, newTileId: () => ids.tile })
  if (!('dashboard' in planned)) throw broken('dashboard', planned)
  const tiles = planned.dashboard.tiles.map(({ id: _, ...tile }) => tile)
  return { dashboard: { ...planned.dashboard, tiles }, report: imported.report }
}

const logs: TableDescription = {
  database: 'shop',
  table: 'logs',
  columns: [
    { name: 'ts', type: 'DateTime64(3)' },
    { name: 'SeverityText', type: 'LowCardinality(String)' },
    { name: 'body', type: 'String' },
    { name: 'Attributes', type: 'Map(String, String)' },
  ],
  sortingKey: ['ts'],
}
const exampleProposal = proposeSource(ids.service, logs, () => false) as ResultOf<'sources.proposals'>[number]

function exampleSource(): ResultOf<'sources.get'> {
  const planned = planSource(exampleRequests['sources.create'].logs.value, logs)
  if ('issues' in planned) throw broken('source', planned.issues)
  const times = { createdAtMs: exampleTimeMs, updatedAtMs: exampleTimeMs }
  return viewSource({ id: ids.source, ...planned.source, isDefault: true, ...times })
}

const chartRows: ResultOf<'charts.series'> = [
  { ts_bucket: 1768471200000, group: ['api'], 'series_0.data': 42 },
  { ts_bucket: 1768473000000, group: ['api'], 'series_0.data': 0 },
]

function exampleAlert(dashboard: ResultOf<'dashboards.get'>): ResultOf<'alerts.get'> {
  const planned = planAlert(exampleRequests['alerts.create'].errors.value, dashboard)
  if ('issues' in planned) throw broken('alert', planned.issues)
  const times = { createdAtMs: exampleTimeMs, updatedAtMs: exampleTimeMs }
  const status: AlertStatus = {
    ...{
      state: 'OK',
      sinceMs: exampleTimeMs,
      lastValue: 42,
      lastEvaluatedAtMs: exampleTimeMs,
      lastError: null,
    },
    ...{ breaches: 0, nextAtMs: 0, evaluations: 1, pending: [] },
  }
  return viewAlert({ id: ids.alert, organizationId: ids.organization, ...planned.settings, status, ...times })
}

const exampleEntry: ResultOf<'alerts.history'>[number] = {
  ...{
    at: exampleTimeMs,
    state: 'ALERT',
    value: 120,
    startTime: exampleTimeMs - 300_000,
    endTime: exampleTimeMs,
  },
  ...{ groups: [{ group: ['api'], value: 120 }], error: null },
  delivery: { event: 'alert.fired', attempts: 1, status: 200, error: null },
}

const saved = { savedAt: new Date(exampleTimeMs).toISOString(), savedBy: 'CI' }

function exampleCheck(): ResultOf<'dashboards.validate'> {
  const body = exampleRequests['dashboards.validate'].incomplete.value
  const planned = planDashboard(body, { nowMs: 0, newTileId: () => ids.tile })
  if (!('dashboard' in planned)) throw broken('dashboard', planned)
  const warnings = dashboardWarnings(planned.dashboard, [])
  const tiles = planned.dashboard.tiles.map(({ id: _, ...tile }) => tile)
  const normalized = { ...planned.dashboard, tiles }
  const told = warnings as ResultOf<'dashboards.validate'>['warnings']
  return { valid: true, errors: [], warnings: told, normalized }
}

const broken = (noun: string, issues: unknown) =>
  new Error(`the example ${noun} breaks a rule: ${JSON.stringify(issues)}`)

function exampleDemo(): ResultOf<'demo.get'> {
  const rows = 3_000_000
  const identity = {
    organizationId: ids.organization,
    dataPlaneId: '',
    by: { keyId: ids.key, keyName: key.name },
  }
  return viewDemo(
    {
      ...{ ...identity, wanted: 'present', isComplete: false, startedAtMs: exampleTimeMs, seed: 1, rows },
      ids: {
        ...{ service: ids.service, requestsPipe: ids.pipe, metricsPipe: ids.pipe },
        ...{ dashboard: ids.dashboard, alert: ids.alert },
      },
      ...{ error: null, kept: [] },
    },
    { step: 'pipe', counts: { data: { done: rows, total: rows }, pipe: { done: 1_260_000, total: rows } } },
  )
}
