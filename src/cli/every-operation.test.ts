import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardToken, granary, keySecret } from '../../test/support/cli-rig.ts'
import * as sample from '../../test/support/cli-samples.ts'
import { type FakeAnswer, result, startFakeApi } from '../../test/support/fake-api.ts'
import { isDashboardOperation, type OperationId, operation, type ResultOf } from '../api/operations.ts'

interface Case<Id extends OperationId> {
  argv: string[]
  result: ResultOf<Id>
  /** What the output for people must contain. */
  shows: RegExp
  body?: object
  search?: string
  /** What people see is for a terminal. */
  isTTY?: true
}

const { serviceId, userId, pipeId, backupId, keyId, activityId, dashboardId, sourceId, alertId } = sample
const queryId = '8c6f0d0e-2f1a-4b3c-9d4e-6f7a8b9c0d1e'
const tileId = '66f2c1d0a9b8e7f6c5d4b3a3'
const service = sample.service()
const user = sample.user()
const pipe = sample.pipe()
const backup = sample.backup()
const pipeFile = '/home/someone/pipe.json'
const files = {
  [pipeFile]: '{"name":"clicks"}',
  '/home/someone/dashboard.json': '{"name":"Traffic"}',
  '/home/someone/orders.sql': sample.namedQuery.text,
}
const page = '?limit=500'

/** Signing in and out is for browsers: the command line has the key. */
type WithCommand = Exclude<OperationId, 'session.create' | 'session.delete'>

const axis = {
  ...{ from: '2030-05-01T11:58:00.000Z', to: '2030-05-01T12:00:00.000Z', stepSeconds: 60 },
  times: ['2030-05-01T11:58:00.000Z', '2030-05-01T11:59:00.000Z'],
}

/** A new operation without a command does not compile. */
const cases: { [Id in WithCommand]: Case<Id> } = {
  'organizations.list': {
    argv: ['organizations', 'list'],
    result: [sample.organization],
    shows: /Acme +SCALE/,
  },
  'organizations.get': { argv: ['organizations', 'get'], result: sample.organization, shows: /tier +SCALE/ },
  'organizations.update': {
    argv: ['organizations', 'update', '--tier', 'BASIC', '--name', 'B', '--no-paid'],
    result: sample.organization,
    shows: /Acme/,
    body: { tier: 'BASIC', name: 'B', paid: false },
  },
  'organizations.metrics': { argv: ['organizations', 'metrics'], result: 'up 1\n', shows: /^up 1\n$/ },
  'organizations.pipes': {
    argv: ['organizations', 'pipes'],
    result: [{ ...pipe, serviceName: 'analytics' }],
    shows: /analytics +clicks +Running +kinesis/,
    search: page,
  },
  'organizations.backups': {
    argv: ['organizations', 'backups'],
    result: [
      {
        ...{ serviceId, serviceName: 'analytics', newest: backup, newestGood: null, running: null },
        ...{ nextDueAt: '2030-05-01T13:00:00.000Z', reason: '', bucketPath: '' },
      },
    ],
    shows: /analytics .* none +in 1 h/,
    search: page,
  },
  'organizations.history': {
    argv: ['organizations', 'history'],
    result: {
      ...axis,
      ...{ memoryBytes: [0, 1024], memoryLimitBytes: [0, 2048], queries: [0, 7], rowsWritten: [0, 5] },
      storedBytes: [0, 4096],
    },
    shows: /^TIME.*\n2030-05-01 11:59 +1.0 KiB +2.0 KiB +7 +5 +4.0 KiB\nin steps of 1 min/,
    search: '?range=24h',
  },
  'services.history': {
    argv: ['services', 'history', serviceId, '--range', '1h'],
    result: {
      ...axis,
      replicas: [{ name: 'r1', memoryBytes: [null, 1024] }],
      ...{ memoryLimitBytes: [null, 2048], queries: [0, 7], rowsRead: [0, 9], rowsWritten: [0, 5] },
      ...{ storedBytes: [null, 4096], asleep: [{ from: axis.from, to: axis.to }] },
      changes: [{ at: axis.from, kind: 'service_autoscaled', reason: 'more memory' }],
    },
    shows: /MEMORY r1 [\s\S]* 7 +9 +5 +4.0 KiB\n[\s\S]*asleep 2030.*\n.* service_autoscaled: more memory/,
    search: '?range=1h',
  },
  'pipes.history': {
    argv: ['pipes', 'history', serviceId, pipeId],
    result: {
      ...axis,
      ...{ recordsIn: [0, 6], recordsWritten: [0, 5], bytesIn: [0, 1024], rejected: [0, 1] },
      ...{ behindRecords: [null, 3], behindSeconds: [null, 2] },
    },
    shows: /11:59 +6 +5 +1.0 KiB +1 +3 +2/,
    search: '?range=24h',
  },
  'pipes.lanes': {
    argv: ['pipes', 'lanes', serviceId, pipeId, '--limit', '7'],
    result: [
      { name: 'orders/0', position: '5', end: '9', behindRecords: 4, worker: 0, updatedAt: axis.from },
    ],
    shows: /orders\/0 +5 +9 +4 +0 /,
    search: '?limit=7',
  },
  'pipes.rejectedRecords': {
    argv: ['pipes', 'rejected', serviceId, pipeId, '--limit', '7'],
    result: [
      {
        ...{
          at: axis.from,
          source: 'orders/0',
          position: '5',
          code: 'parse',
          reason: 'no\nnumber',
          field: 'id',
        },
        ...{ raw: '{"id":"x"}', isBase64: false, isTruncated: false, rawSize: 10 },
      },
    ],
    shows: /orders\/0 +5 +parse +no number +\{"id":"x"\}/,
    search: '?limit=7',
  },
  'pipes.rejectedReasons': {
    argv: ['pipes', 'reasons', serviceId, pipeId],
    result: [{ code: 'parse', reason: 'no number', count: 3, firstAt: axis.from, lastAt: axis.to }],
    shows: /3 +parse +no number/,
  },
  'organizations.changes': {
    argv: ['organizations', 'changes'],
    result: { resource: 'pipe', id: pipeId, serviceId, version: 1 },
    shows: /^pipe 3{8}-.* of service 2{8}-/,
  },
  'quotas.list': {
    argv: ['quotas', 'list'],
    result: [sample.quota],
    shows: /services-per-organization +3 +20/,
  },
  'quotas.get': {
    argv: ['quotas', 'get', sample.quota.quotaCode],
    result: sample.quota,
    shows: /used +3\nlimit +20/,
  },
  'activities.list': {
    argv: ['activities', 'list', '--from', '2030-01-01', '--all'],
    result: [sample.activity],
    shows: /1 h ago +service_update +key ci/,
    search: '?from_date=2030-01-01&limit=500',
  },
  'activities.get': {
    argv: ['activities', 'get', activityId],
    result: sample.activity,
    shows: /before +name = "old"/,
  },
  'demo.get': { argv: ['demo', '--status'], result: sample.demo(), shows: /dashboard +http.*\/dashboards\// },
  'demo.start': {
    argv: ['demo', '--no-wait'],
    result: sample.demo('starting'),
    shows: /pipe, 1,000 of 3,000 rows/,
  },
  'demo.remove': {
    argv: ['demo', '--remove'],
    result: sample.demo('absent'),
    shows: /The dashboard Web shop stays/,
  },
  'keys.list': {
    argv: ['keys', 'list'],
    result: [sample.key],
    shows: /ci +management +enabled +admin +x9Z1 +1 min ago/,
  },
  'keys.create': {
    argv: [
      ...['keys', 'create', '--name', 'ci', '--role', 'admin', '--grant', `${serviceId}=developer`],
      ...[
        '--expires',
        '30d',
        '--ip',
        '10.0.0.0/8=office',
        '--ip',
        '::1',
        '--disabled',
        '--kind',
        'management',
      ],
    ],
    result: { key: sample.key, keyId: 'new-id', keySecret: 'new-secret', token: '' },
    shows: /key id +new-id\nkey secret +new-secret\n\n.*only time/,
    body: {
      name: 'ci',
      kind: 'management',
      state: 'disabled',
      roles: ['admin'],
      serviceGrants: [{ serviceId, role: 'developer' }],
      expireAt: '2030-05-31T12:00:00.000Z',
      ipAccessList: [{ source: '10.0.0.0/8', description: 'office' }, { source: '::1' }],
    },
  },
  'keys.get': { argv: ['keys', 'get', keyId], result: sample.key, shows: /access +nowhere/ },
  'keys.update': {
    argv: ['keys', 'update', keyId, '--disable', '--expires', 'never'],
    result: sample.key,
    shows: /ci/,
    body: { state: 'disabled', expireAt: null },
  },
  'keys.delete': {
    argv: ['keys', 'delete', keyId, '--yes'],
    result: sample.key,
    shows: /key ci .* is deleted/,
  },
  'session.get': {
    argv: ['whoami'],
    result: sample.identity,
    shows: /key +ci \(.*\)\n.*may +organization:view, keys:view\nservices +2222.*: services:view/s,
  },
  'sessions.list': {
    argv: ['sessions', 'list'],
    result: [sample.session],
    shows: /ci +127.0.0.1 +Firefox +1 h ago +1 min ago/,
    search: page,
  },
  'sessions.delete': {
    argv: ['sessions', 'delete', sample.sessionId, '--yes'],
    result: sample.session,
    shows: /session .* of key ci has ended/,
  },
  'services.list': {
    argv: ['services', 'list'],
    result: [service],
    shows: /analytics +running +3\/3 +8–120 GB +http:\/\/127.0.0.1:18123 +3 min ago/,
    search: page,
  },
  'services.create': {
    argv: [
      ...['services', 'create', '--name', 'a', '--min-memory', '8', '--max-memory', '16', '--replicas', '2'],
      ...[
        '--no-idle',
        '--idle-timeout',
        '20',
        '--tier',
        'production',
        '--warehouse',
        serviceId,
        '--read-only',
        '--no-durable-inserts',
      ],
      ...['--backup', backupId, '--ip', '10.0.0.0/8', '--tag', 'team=data', '--tag', 'x', '--region', 'here'],
    ],
    result: { service, password: 'pass-word' },
    shows: /password +pass-word\n\n.*only time/,
    body: {
      name: 'a',
      minReplicaMemoryGb: 8,
      maxReplicaMemoryGb: 16,
      numReplicas: 2,
      idleScaling: false,
      idleTimeoutMinutes: 20,
      tier: 'production',
      region: 'here',
      dataWarehouseId: serviceId,
      isReadonly: true,
      durableInserts: false,
      backupId,
      ipAccessList: [{ source: '10.0.0.0/8' }],
      tags: [{ key: 'team', value: 'data' }, { key: 'x' }],
    },
  },
  'services.get': {
    argv: ['services', 'get', serviceId],
    result: service,
    shows: /state +running\n.*endpoint +http/s,
  },
  'services.update': {
    argv: [
      'services',
      'update',
      serviceId,
      '--add-ip',
      '::1=me',
      '--remove-ip',
      '10.0.0.0/8',
      '--clear-tags',
    ],
    result: service,
    shows: /analytics/,
    body: {
      ipAccessList: { add: [{ source: '::1', description: 'me' }], remove: [{ source: '10.0.0.0/8' }] },
      tags: [],
    },
  },
  'services.delete': {
    argv: ['services', 'delete', serviceId, '-y'],
    result: sample.service({ state: 'terminating' }),
    shows: /analytics .* is terminating/,
  },
  'services.updateScaling': {
    argv: ['services', 'scale', serviceId, '--max-total-memory', '48', '--replicas', '2'],
    result: service,
    shows: /analytics/,
    body: { maxTotalMemoryGb: 48, numReplicas: 2 },
  },
  'services.updateReplicaScaling': {
    argv: ['services', 'scale', serviceId, '--min-memory', '16', '--idle'],
    result: service,
    shows: /analytics/,
    body: { minReplicaMemoryGb: 16, idleScaling: true },
  },
  'services.updateState': {
    argv: ['services', 'stop', serviceId],
    result: sample.service({ state: 'stopping', stateReason: 'stop was requested' }),
    shows: /analytics .* is stopping: stop was requested/,
    body: { command: 'stop' },
  },
  'services.resetPassword': {
    argv: ['services', 'password', serviceId],
    result: { password: 'new-pass' },
    shows: /password +new-pass\n\n.*only time/,
    body: {},
  },
  'services.query': {
    argv: ['query', serviceId, 'SELECT 1, 2'],
    result: { kind: 'columns', columns: [{ name: 'number', type: 'UInt8' }] },
    shows: /number/,
    isTTY: true,
    body: { query: 'SELECT 1, 2' },
  },
  'services.export': {
    argv: ['services', 'export', serviceId, 'SELECT 1', '--format', 'JSONEachRow'],
    result: '"1"',
    shows: /1/,
    body: { query: 'SELECT 1', format: 'JSONEachRow' },
  },
  'services.cancelRestore': {
    argv: ['services', 'cancel-restore', serviceId, '--yes'],
    result: sample.service({ state: 'terminating' }),
    shows: /is terminating/,
  },
  'services.cancelQuery': {
    argv: ['services', 'cancel-query', serviceId, queryId],
    result: { queryId },
    shows: /is cancelled/,
  },
  'services.metrics': {
    argv: ['services', 'metrics', serviceId, '--important'],
    result: 'up 1\n',
    shows: /^up 1\n$/,
    search: '?filtered_metrics=true',
  },
  'queries.list': {
    argv: ['queries', 'list'],
    result: [sample.namedQuery],
    shows: /orders +\S.* SELECT count\(\) FROM orders/,
  },
  'queries.create': {
    argv: ['queries', 'create', '--name', 'orders', '--file', 'orders.sql', '--service', serviceId],
    result: sample.namedQuery,
    shows: /name +orders/,
    body: { name: 'orders', text: sample.namedQuery.text, serviceId },
  },
  'queries.get': {
    argv: ['queries', 'get', sample.namedQuery.id],
    result: sample.namedQuery,
    shows: /name +orders\n.*\n.*\n\nSELECT count/,
  },
  'queries.replace': {
    argv: ['queries', 'replace', sample.namedQuery.id, '--name', 'orders', '--file', 'orders.sql'],
    result: sample.namedQuery,
    shows: /name +orders/,
    body: { name: 'orders', text: sample.namedQuery.text },
  },
  'queries.delete': {
    argv: ['queries', 'delete', sample.namedQuery.id, '--yes'],
    result: sample.namedQuery,
    shows: /query orders .* is deleted/,
  },
  'serviceUsers.list': {
    argv: ['services', 'users', 'list', serviceId],
    result: [user],
    shows: /grafana +readOnly +1 h ago +30 min ago/,
  },
  'serviceUsers.create': {
    argv: ['services', 'users', 'create', serviceId, '--name', 'grafana', '--role', 'readOnly'],
    result: { user, password: 'pass-word' },
    shows: /password +pass-word\n\n.*only time/,
    body: { name: 'grafana', role: 'readOnly' },
  },
  'serviceUsers.get': {
    argv: ['services', 'users', 'get', serviceId, userId],
    result: user,
    shows: /name +grafana\nrole +readOnly/,
  },
  'serviceUsers.update': {
    argv: ['services', 'users', 'update', serviceId, userId, '--role', 'readWrite'],
    result: sample.user({ role: 'readWrite' }),
    shows: /role +readWrite/,
    body: { role: 'readWrite' },
  },
  'serviceUsers.delete': {
    argv: ['services', 'users', 'delete', serviceId, userId, '--yes'],
    result: user,
    shows: /user grafana .* is deleted/,
  },
  'serviceUsers.resetPassword': {
    argv: ['services', 'users', 'password', serviceId, userId],
    result: { password: 'new-pass' },
    shows: /password +new-pass\n\n.*only time/,
    body: {},
  },
  'pipes.list': {
    argv: ['pipes', 'list', serviceId, '--limit', '7'],
    result: [pipe],
    shows: /clicks +Running +kinesis clicks +default.clicks/,
    search: '?limit=7',
  },
  'pipes.create': {
    argv: ['pipes', 'create', serviceId, '--file', 'pipe.json'],
    result: pipe,
    shows: /source +kinesis clicks\n +in eu-west-1/,
    body: { name: 'clicks' },
  },
  'pipes.discoverSchema': {
    argv: ['pipes', 'discover', serviceId, '--file', 'pipe.json'],
    result: { fields: [{ name: 'customer.city', type: 'String' }], records: [['Bremen']] },
    shows: /customer.city +String/,
    body: {},
  },
  'pipes.get': { argv: ['pipes', 'get', serviceId, pipeId], result: pipe, shows: /columns +at DateTime/ },
  'pipes.update': {
    argv: ['pipes', 'update', serviceId, pipeId, '--name', 'other'],
    result: pipe,
    shows: /clicks/,
    body: { name: 'other' },
  },
  'pipes.delete': {
    argv: ['pipes', 'delete', serviceId, pipeId, '--yes'],
    result: pipe,
    shows: /pipe clicks .* is deleted/,
  },
  'pipes.updateState': {
    argv: ['pipes', 'resync', serviceId, pipeId],
    result: sample.pipe({ state: 'Resync' }),
    shows: /pipe clicks .* is Resync/,
    body: { command: 'resync' },
  },
  'pipes.updateScaling': {
    argv: ['pipes', 'scale', serviceId, pipeId, '--replicas', '2', '--cpu', '500', '--memory', '0.5'],
    result: pipe,
    shows: /workers/,
    body: { replicas: 2, replicaCpuMillicores: 500, replicaMemoryGb: 0.5 },
  },
  'pipes.getSettings': {
    argv: ['pipes', 'settings', 'get', serviceId, pipeId],
    result: sample.settings,
    shows: /db_max_download_threads +4/,
  },
  'pipes.updateSettings': {
    argv: [
      'pipes',
      'settings',
      'set',
      serviceId,
      pipeId,
      'db_max_threads=null',
      'db_parallel_view_processing=true',
    ],
    result: sample.settings,
    shows: /db_max_threads +0/,
    body: { db_max_threads: null, db_parallel_view_processing: true },
  },
  'backups.list': {
    argv: ['backups', 'list', serviceId],
    result: [backup],
    shows: /9 h ago +done +good +full +1.5 GiB +2 min/,
    search: page,
  },
  'backups.create': { argv: ['backups', 'create', serviceId], result: backup, shows: /status +done/ },
  'backups.get': { argv: ['backups', 'get', serviceId, backupId], result: backup, shows: /size +1.5 GiB/ },
  'backups.verify': {
    argv: ['backups', 'verify', serviceId, backupId],
    result: sample.backup({ verification: { status: 'in_progress', checkedAt: '', reason: '' } }),
    shows: /read back +in_progress/,
  },
  'backupBucket.get': {
    argv: ['backups', 'bucket', 'get', serviceId],
    result: sample.bucket,
    shows: /path +https:\/\/minio:9000\/backups\/analytics\naccess key +granary/,
  },
  'backupBucket.create': {
    argv: [
      ...['backups', 'bucket', 'set', serviceId, '--path', 'https://minio:9000/b', '--role-arn', 'arn:r'],
      ...['--role-session-name', 'granary'],
    ],
    result: sample.bucket,
    shows: /minio/,
    body: { bucketPath: 'https://minio:9000/b', iamRoleArn: 'arn:r', iamRoleSessionName: 'granary' },
  },
  'backupBucket.update': {
    argv: ['backups', 'bucket', 'set', serviceId, '--access-key-id', ''],
    result: sample.bucket,
    shows: /minio/,
    body: { accessKeyId: '' },
  },
  'backupBucket.delete': {
    argv: ['backups', 'bucket', 'remove', serviceId, '--yes'],
    result: sample.bucket,
    shows: /no longer go to https:\/\/minio:9000\/backups\/analytics/,
  },
  'backupConfiguration.get': {
    argv: ['backups', 'configuration', 'get', serviceId],
    result: sample.backupConfiguration,
    shows: /every +24 h\nat +03:00 UTC\nkept for +168 h/,
  },
  'backupConfiguration.update': {
    argv: ['backups', 'configuration', 'update', serviceId, '--period', '12', '--start-time', 'default'],
    result: sample.backupConfiguration,
    shows: /every/,
    body: { backupPeriodInHours: 12, backupStartTime: null },
  },
  'dashboards.list': { argv: ['dashboards', 'list'], result: [sample.dashboard], shows: /Traffic +1 +web/ },
  'dashboards.create': {
    argv: ['dashboards', 'create', '-f', 'dashboard.json'],
    result: sample.dashboard,
    shows: /Requests +time +0,0 +12×4 +count of events/,
    body: { name: 'Traffic' },
  },
  'dashboards.get': { argv: ['dashboards', 'get', dashboardId], result: sample.dashboard, shows: /Requests/ },
  'dashboards.replace': {
    argv: ['dashboards', 'replace', dashboardId, '--file', 'dashboard.json'],
    result: sample.dashboard,
    shows: /Requests/,
    body: { name: 'Traffic' },
  },
  'dashboards.delete': {
    argv: ['dashboards', 'delete', dashboardId, '--yes'],
    result: {},
    shows: /dashboard .* is deleted/,
  },
  'dashboards.validate': {
    argv: ['dashboards', 'validate', '--file', 'dashboard.json'],
    result: {
      valid: true,
      errors: [],
      warnings: [{ path: ['tiles', 0, 'name'], code: 'syntax', message: 'is odd', position: 3 }],
      normalized: null,
    },
    shows: /would be stored\nwarning: tiles\[0\].name: is odd/,
    body: { name: 'Traffic' },
  },
  'dashboards.import': {
    argv: ['dashboards', 'import', '--file', 'dashboard.json', '--source', 'logs', '--dry-run'],
    result: {
      dashboard: sample.dashboard,
      report: [
        { path: 'panels[2]', panelId: 7, what: 'panel', message: 'piechart panels are not drawn here' },
      ],
    },
    shows: /Requests[\s\S]*panels\[2\] +panel +piechart/,
    body: { format: 'grafana', dashboard: { name: 'Traffic' }, dataSource: 'logs', dryRun: true },
  },
  'dashboards.listVersions': {
    argv: ['dashboards', 'versions', 'list', dashboardId],
    result: [{ ...sample.saved, name: 'Traffic', tiles: 1 }],
    shows: /7 +1 h ago +CI +Traffic +1/,
  },
  'dashboards.getVersion': {
    argv: ['dashboards', 'versions', 'get', dashboardId, '7'],
    result: { ...sample.saved, dashboard: sample.dashboard },
    shows: /Requests/,
  },
  'dashboards.restoreVersion': {
    argv: ['dashboards', 'versions', 'restore', dashboardId, '7'],
    result: sample.dashboard,
    shows: /Requests/,
  },
  'dashboards.queryTile': {
    argv: ['dashboards', 'query', dashboardId, tileId, '--from', '2026-01-15', '--to', '2026-01-16'],
    result: [{ ts_bucket: 1768471200000, group: ['api'], 'series_0.data': 42 }],
    shows: /2026-01-15T10:00:00.000Z +api +42/,
    body: { startTime: 1768435200000, endTime: 1768521600000 },
  },
  'dashboards.listVariableValues': {
    argv: ['dashboards', 'values', dashboardId, 'service'],
    result: ['api', 'web'],
    shows: /^api\nweb\n$/,
    body: {},
  },
  'charts.series': {
    argv: ['charts', 'query', '--file', 'dashboard.json'],
    result: [{ group: null, 'series_0.data': null }],
    shows: /others/,
    body: { name: 'Traffic' },
  },
  'charts.where': {
    argv: ['charts', 'where', 'level:error', '--source', 'logs'],
    result: { valid: true, english: 'level contains "error"', errors: [] },
    shows: /level contains "error"/,
    body: { where: 'level:error', dataSource: 'logs' },
  },
  'sources.list': {
    argv: ['sources', 'list'],
    result: [sample.source],
    shows: /shop logs +events +shop.logs +ts +default/,
  },
  'sources.create': {
    argv: ['sources', 'create', '--name', 'l', '--service', serviceId, '--table', 'logs', '--no-default'],
    result: sample.source,
    shows: /words search +body\naliases +level = Severity/,
    body: { name: 'l', serviceId, table: 'logs', isDefault: false },
  },
  'sources.proposals': {
    argv: ['sources', 'proposals', '--service', serviceId],
    result: [{ name: 'shop.logs', serviceId, table: 'logs', timestampColumn: 'ts' }],
    shows: /shop.logs +events +ts/,
    search: `?serviceId=${serviceId}`,
  },
  'sources.get': { argv: ['sources', 'get', sourceId], result: sample.source, shows: /table +shop.logs/ },
  'sources.replace': {
    argv: ['sources', 'replace', sourceId, '--file', 'dashboard.json'],
    result: sample.source,
    shows: /shop.logs/,
    body: { name: 'Traffic' },
  },
  'sources.delete': {
    argv: ['sources', 'delete', sourceId, '--yes'],
    result: {},
    shows: /source .* is deleted/,
  },
  'alerts.list': {
    argv: ['alerts', 'list'],
    result: [sample.alert],
    shows: /Errors +ALERT +1 h ago +above 100 +5m +120/,
  },
  'alerts.create': {
    argv: ['alerts', 'create', '--file', 'dashboard.json'],
    result: { ...sample.alert, channel: { ...sample.alert.channel, secret: 'whsec_abc' } },
    shows: /secret +whsec_abc\n\n.*only time/,
    body: { name: 'Traffic' },
  },
  'alerts.get': {
    argv: ['alerts', 'get', alertId],
    result: sample.alert,
    shows: /when +above 100, 2 in a row/,
  },
  'alerts.replace': {
    argv: ['alerts', 'replace', alertId, '--file', 'dashboard.json'],
    result: sample.alert,
    shows: /Errors/,
    body: { name: 'Traffic' },
  },
  'alerts.delete': {
    argv: ['alerts', 'delete', alertId, '--yes'],
    result: {},
    shows: /alert .* is deleted/,
  },
  'alerts.history': {
    argv: ['alerts', 'history', alertId, '--limit', '5'],
    result: [
      {
        ...{
          at: Date.UTC(2030, 4, 1, 11),
          state: 'ALERT',
          value: 120,
          startTime: 0,
          endTime: 1,
          groups: [],
          error: null,
        },
        delivery: { event: 'alert.fired', attempts: 5, status: 500, error: 'it answered 500' },
      },
    ],
    shows: /1 h ago +ALERT +120 +alert.fired: it answered 500/,
    search: '?limit=5',
  },
}

const ids = {
  queryId,
  organizationId: sample.organizationId,
  serviceId,
  userId,
  namedQueryId: sample.namedQuery.id,
  pipeId,
  backupId,
  keyId,
  activityId,
  dashboardId,
  sourceId,
  alertId,
  tileId,
  sessionId: sample.sessionId,
  name: 'service',
  quotaCode: sample.quota.quotaCode,
  version: '7',
}

for (const [id, wanted] of Object.entries(cases) as [OperationId, Case<OperationId>][]) {
  test(`${id}: granary ${wanted.argv.slice(0, 3).join(' ')}`, async () => {
    await using api = await startFakeApi()
    const { method, path: template, answer } = operation(id)
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name as keyof typeof ids])
    const isDashboard = isDashboardOperation(id)
    const body = { data: wanted.result }
    api.on(
      method,
      path,
      answer === 'text' || typeof answer === 'object'
        ? { body: wanted.result }
        : answer === 'events'
          ? eventOf(wanted.result)
          : isDashboard
            ? { body }
            : result(wanted.result),
    )

    const forPeople = await granary(api.url, wanted.argv, { files, isTTY: wanted.isTTY ?? false })
    assert.deepEqual([forPeople.code, forPeople.stderr], [0, ''])
    assert.match(forPeople.stdout, wanted.shows)
    const asJson = await granary(api.url, [...wanted.argv, '--json'], { files })
    assert.deepEqual([asJson.code, asJson.stderr], [0, ''])
    // A file is written as it is.
    assert.deepEqual(typeof answer === 'object' ? asJson.stdout : JSON.parse(asJson.stdout), wanted.result)

    assert.equal(api.seen.length, 2)
    const basic = `Basic ${Buffer.from(`the-id:${keySecret}`).toString('base64')}`
    for (const request of api.seen) {
      assert.deepEqual([request.method, request.path], [method, path])
      assert.deepEqual(request.body, wanted.body)
      assert.equal(request.search, wanted.search ?? '')
      assert.equal(request.headers.authorization, isDashboard ? `Bearer ${dashboardToken}` : basic)
      assert.equal(request.headers['user-agent'], 'granary-cli/1.2.3')
    }
  })
}

const eventOf = (value: unknown): FakeAnswer => ({
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  body: `:\n\ndata: ${JSON.stringify(value)}\n\n`,
})
