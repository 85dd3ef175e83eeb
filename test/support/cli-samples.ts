import type { ResultOf } from '../../src/api/operations.ts'

/** Whole answers of the API, which tests change as they need. */
export const organizationId = '11111111-1111-4111-8111-111111111111'
export const serviceId = '22222222-2222-4222-8222-222222222222'
export const userId = '88888888-8888-4888-8888-888888888888'
export const pipeId = '33333333-3333-4333-8333-333333333333'
export const backupId = '44444444-4444-4444-8444-444444444444'
export const keyId = '55555555-5555-4555-8555-555555555555'
export const activityId = '66666666-6666-4666-8666-666666666666'
export const sourceId = '0123456789abcdef01234568'
export const alertId = '0123456789abcdef01234569'
export const dashboardId = '0123456789abcdef01234567'
export const sessionId = '99999999-9999-4999-8999-999999999999'
export const nowMs = Date.parse('2030-05-01T12:00:00Z')

export const organization: ResultOf<'organizations.get'> = {
  id: organizationId,
  name: 'Acme',
  tier: 'SCALE',
  paid: true,
  createdAt: '2030-04-01T12:00:00.000Z',
}

export const service = (change: Partial<ResultOf<'services.get'>> = {}): ResultOf<'services.get'> => ({
  id: serviceId,
  name: 'analytics',
  state: 'running',
  stateReason: '',
  desiredState: 'running',
  provider: 'local',
  region: 'local',
  tier: 'production',
  dbVersion: '26.7',
  endpoints: [{ protocol: 'http', host: '127.0.0.1', port: 18123, username: 'default' }],
  minTotalMemoryGb: 24,
  maxTotalMemoryGb: 360,
  minReplicaMemoryGb: 8,
  maxReplicaMemoryGb: 120,
  numReplicas: 3,
  idleScaling: true,
  idleTimeoutMinutes: 15,
  currentScaling: { numReplicas: 3, replicaMemoryGb: 8, reason: '' },
  resources: { replicas: [], parts: 0, storedBytes: 0 },
  ipAccessList: [{ source: '10.0.0.0/8', description: 'office' }],
  tags: [{ key: 'team', value: 'data' }],
  createdAt: '2030-05-01T11:57:00.000Z',
  encryptionKey: '',
  encryptionAssumedRoleIdentifier: '',
  iamRole: '',
  privateEndpointIds: [],
  availablePrivateEndpointIds: [],
  dataWarehouseId: '77777777-7777-4777-8777-777777777777',
  isPrimary: true,
  isReadonly: false,
  durableInserts: true,
  byocId: '',
  hasTransparentDataEncryption: false,
  transparentDataEncryptionKeyId: '',
  encryptionRoleId: '',
  restoredFromBackupId: '',
  commands: ['stop', 'backUp'],
  commandReasons: {
    start: 'It runs already.',
    delete: 'Only a stopped or failed service is deleted: stop it first.',
  },
  ...change,
})

export const namedQuery: ResultOf<'queries.get'> = {
  id: '88888888-8888-4888-8888-888888888888',
  name: 'orders',
  text: 'SELECT count() FROM orders',
  serviceId,
  createdAt: '2030-05-01T11:00:00.000Z',
  updatedAt: '2030-05-01T11:30:00.000Z',
}

export const user = (change: Partial<ResultOf<'serviceUsers.get'>> = {}): ResultOf<'serviceUsers.get'> => ({
  id: userId,
  serviceId,
  name: 'grafana',
  role: 'readOnly',
  createdAt: '2030-05-01T11:00:00.000Z',
  updatedAt: '2030-05-01T11:30:00.000Z',
  ...change,
})

export const settings: ResultOf<'pipes.getSettings'> = {
  streaming_max_insert_wait_ms: 5000,
  object_storage_concurrency: 1,
  object_storage_polling_interval_ms: 30000,
  object_storage_max_insert_bytes: 10737418240,
  object_storage_max_file_count: 100,
  db_max_threads: 0,
  db_max_insert_threads: 1,
  db_min_insert_block_size_bytes: 1073741824,
  db_max_download_threads: 4,
  db_parallel_distributed_insert_select: 2,
  object_storage_use_cluster_function: true,
  db_parallel_view_processing: false,
}

export const pipe = (change: Partial<ResultOf<'pipes.get'>> = {}): ResultOf<'pipes.get'> => ({
  id: pipeId,
  serviceId,
  name: 'clicks',
  state: 'Running',
  reason: '',
  scaling: { replicas: 1, concurrency: 0, replicaCpuMillicores: 250, replicaMemoryGb: 1 },
  source: {
    kinesis: {
      format: 'JSONEachRow',
      streamName: 'clicks',
      region: 'eu-west-1',
      useEnhancedFanOut: false,
      iteratorType: 'TRIM_HORIZON',
      timestamp: 0,
      authentication: 'IAM_USER',
      iamRole: '',
    },
  },
  destination: {
    database: 'default',
    table: 'clicks',
    managedTable: true,
    columns: [{ name: 'at', type: 'DateTime' }],
    tableDefinition: {
      engine: { type: 'MergeTree', versionColumnId: '', columnIds: [] },
      sortingKey: [],
      partitionBy: '',
      primaryKey: '',
    },
  },
  fieldMappings: [{ sourceField: 'at', destinationField: 'at' }],
  settings,
  createdAt: '2030-05-01T11:00:00.000Z',
  updatedAt: '2030-05-01T11:30:00.000Z',
  commands: ['stop', 'delete'],
  commandReasons: { start: 'It is started already.' },
  ...change,
})

export const backup = (change: Partial<ResultOf<'backups.get'>> = {}): ResultOf<'backups.get'> => ({
  id: backupId,
  serviceId,
  startedAt: '2030-05-01T03:00:00.000Z',
  finishedAt: '2030-05-01T03:02:30.000Z',
  sizeInBytes: 1_610_612_736,
  durationInSeconds: 150,
  backupName: '',
  bucket: { bucketPath: '', iamRoleArn: '', iamRoleSessionName: '' },
  status: 'done',
  type: 'full',
  reason: '',
  baseBackupId: '',
  requestedBy: 'schedule',
  progress: { bytes: 1_610_612_736, totalBytes: 1_610_612_736, files: 41, totalFiles: 41, percent: 100 },
  verification: { status: 'good', checkedAt: '2030-05-01T03:02:30.000Z', reason: '' },
  ...change,
})

export const bucket: ResultOf<'backupBucket.get'> = {
  id: '99999999-9999-4999-8999-999999999999',
  bucketProvider: 'S3',
  bucketPath: 'https://minio:9000/backups/analytics',
  accessKeyId: 'granary',
  iamRoleArn: '',
  iamRoleSessionName: '',
  createdAt: '2030-05-01T11:00:00.000Z',
  updatedAt: '2030-05-01T11:30:00.000Z',
}

export const backupConfiguration: ResultOf<'backupConfiguration.get'> = {
  backupPeriodInHours: 24,
  backupRetentionPeriodInHours: 168,
  backupStartTime: '03:00',
}

export const key: ResultOf<'keys.get'> = {
  id: keyId,
  name: 'ci',
  kind: 'management',
  state: 'enabled',
  roles: ['admin'],
  serviceGrants: [],
  keySuffix: 'x9Z1',
  createdAt: '2030-04-30T12:00:00.000Z',
  expireAt: null,
  usedAt: '2030-05-01T11:59:00.000Z',
  ipAccessList: [],
}

export const quota: ResultOf<'quotas.get'> = {
  quotaCode: 'services-per-organization',
  name: 'Services of the organization',
  limit: 20,
  usage: 3,
}

export const activity: ResultOf<'activities.get'> = {
  id: activityId,
  createdAt: '2030-05-01T11:00:00.000Z',
  type: 'service_update',
  actorType: 'api',
  actorId: keyId,
  actorDetails: 'ci',
  actorIpAddress: '127.0.0.1',
  userAgent: 'curl',
  organizationId,
  serviceId,
  resourceId: serviceId,
  requestId: 'r-7',
  reason: '',
  before: { name: 'old' },
  after: { name: 'new' },
}

export const saved = { version: 7, savedAt: '2030-05-01T11:00:00.000Z', savedBy: 'CI' }

export const dashboard: ResultOf<'dashboards.get'> = {
  id: dashboardId,
  name: 'Traffic',
  tags: ['web'],
  tiles: [
    {
      id: 'aaaaaaaaaaaaaaaaaaaaaaaa',
      name: 'Requests',
      x: 0,
      y: 0,
      w: 12,
      h: 4,
      asRatio: false,
      series: [{ type: 'time', dataSource: 'events', aggFn: 'count', where: '', groupBy: [] }],
    },
  ],
}

export const source: ResultOf<'sources.get'> = {
  ...{ id: sourceId, name: 'shop logs', kind: 'events', serviceId, database: 'shop', table: 'logs' },
  ...{ timestampColumn: 'ts', implicitColumn: 'body', aliases: { level: 'Severity' }, isDefault: true },
  ...{ createdAt: '2030-05-01T11:00:00.000Z', updatedAt: '2030-05-01T11:00:00.000Z' },
}

export const alert: ResultOf<'alerts.get'> = {
  ...{
    id: alertId,
    name: 'Errors',
    message: '',
    enabled: true,
    dashboardId,
    tileId: 'aaaaaaaaaaaaaaaaaaaaaaaa',
  },
  ...{ interval: '5m', threshold: 100, thresholdType: 'above', numConsecutiveWindows: 2 },
  ...{ channel: { type: 'webhook', url: 'https://hooks.example.com/x' }, state: 'ALERT', lastValue: 120 },
  ...{ stateSince: '2030-05-01T11:00:00.000Z', lastEvaluatedAt: '2030-05-01T11:00:00.000Z', lastError: null },
}

export const identity: ResultOf<'session.get'> = {
  id: null,
  expireAt: null,
  organization,
  key: { ...{ id: keyId, name: 'ci', kind: 'management', roles: [] }, serviceGrants: [], expireAt: null },
  permissions: ['organization:view', 'keys:view'],
  services: [{ serviceId, permissions: ['services:view'] }],
}

export const session: ResultOf<'sessions.delete'> = {
  ...{ id: sessionId, keyId, keyName: 'ci', ipAddress: '127.0.0.1', userAgent: 'Firefox', isCurrent: false },
  createdAt: '2030-05-01T11:00:00.000Z',
  usedAt: '2030-05-01T11:59:00.000Z',
  expireAt: '2030-05-31T11:59:00.000Z',
}

export const demo = (state: ResultOf<'demo.get'>['state'] = 'running'): ResultOf<'demo.get'> => ({
  ...{ state, step: state === 'starting' ? 'pipe' : null, error: null, serviceId, dashboardId, pipeId },
  steps: [{ name: 'pipe', state: 'running', done: 1_000, total: 3_000, unit: 'rows' }],
  kept:
    state === 'absent'
      ? [{ kind: 'dashboard', id: dashboardId, name: 'Web shop', reason: 'it was changed' }]
      : [],
})
