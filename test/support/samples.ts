import type { BodyOf, OperationId, ParamsOf } from '../../src/api/operations.ts'
import type { DashboardRecord } from '../../src/domain/dashboard/types.ts'
import { newHexId } from '../../src/lib/ids.ts'

/** Every name of a path parameter in either API. */
export type IdName = { [Id in OperationId]: keyof ParamsOf<Id> & string }[OperationId]
export type Ids = Record<IdName, string>

/** What a sample may create before it is sent, so that its operation has its own resource to work on. */
export interface Preparations {
  newService(): Promise<string>
  newStoppedService(): Promise<string>
  /** One that waits for the data of a backup. */
  newRestoredService(): Promise<string>
  newUser(): Promise<string>
  newPipe(): Promise<string>
  newKey(): Promise<string>
  /** Signed in with the main key. */
  newSession(): Promise<string>
  newDashboard(): Promise<string>
  newSource(): Promise<string>
  newAlert(): Promise<string>
  newNamedQuery(): Promise<string>
  /** A backup of that service, or of a new one. */
  newFinishedBackup(serviceId?: string): Promise<Pick<Ids, 'serviceId' | 'backupId'>>
  /** A service with a bucket for its backups. */
  newBucket(): Promise<string>
}

export interface Sample<Id extends OperationId> {
  /** Valid bodies; the walk sends the first, the fuzzer mutates all. Absent where the operation has none. */
  bodies: BodyOf<Id> extends undefined ? [] : [BodyOf<Id>, ...BodyOf<Id>[]]
  /** The bodies name resources of the main organization: for others they do not exist. */
  isOfMain?: true
  /** Ids that this call needs in place of the shared ones. */
  prepare?(world: Preparations): Promise<Partial<Ids>>
}

/** A sample for code that treats all operations alike. */
export type AnySample = Pick<Sample<OperationId>, 'prepare' | 'isOfMain'> & {
  bodies: readonly (object | undefined)[]
}

const orders = {
  destination: {
    database: 'default',
    table: 'orders',
    managedTable: true,
    columns: [
      { name: 'id', type: 'UInt64' },
      { name: 'amount', type: 'Float64' },
    ],
    tableDefinition: {
      engine: { versionColumnId: 'amount', columnIds: [] },
      sortingKey: ['id'],
      partitionBy: '',
      primaryKey: 'id',
    },
    roles: ['ingest_role'],
  },
  fieldMappings: [
    { sourceField: 'id', destinationField: 'id' },
    { sourceField: 'amt', destinationField: 'amount' },
  ],
}

/** Texts that requests contain and that must appear in no answer, log line or audit trail entry. */
export const hiddenTexts = {
  password: 'hidden-password-5f1c',
  registryPassword: 'hidden-registry-8ad2',
  secretKey: 'hidden-secret-key-77b0',
  accountKey: 'aGlkZGVuLWFjY291bnQta2V5',
  role: 'ingest_role',
  bucketSecret: 'hidden-bucket-secret-4c19',
}

const kafkaPipe = {
  name: 'orders',
  source: {
    kafka: {
      brokers: 'broker-1:9092,broker-2:9092',
      topics: 'orders',
      consumerGroup: 'granary',
      offset: { timestamp: '2026-01-01T00:00' },
      schemaRegistry: {
        url: 'https://schemas.example.com',
        credentials: { username: 'registry', password: hiddenTexts.registryPassword },
      },
      credentials: { username: 'reader', password: hiddenTexts.password },
    },
    validateSamples: true,
  },
  ...orders,
  scaling: { replicas: 2, replicaCpuMillicores: 250, replicaMemoryGb: 1.5 },
  settings: { streaming_max_insert_wait_ms: 1000, db_max_threads: 2, db_parallel_view_processing: true },
} satisfies BodyOf<'pipes.create'>

/** One valid request per kind of source. */
export const pipeBodies = {
  kafka: kafkaPipe,
  objectStorage: {
    name: 'files',
    source: {
      objectStorage: {
        url: 'https://bucket.s3.eu-central-1.amazonaws.com/orders/**.csv.gz',
        format: 'CSVWithNames',
        delimiter: ';',
        compression: 'gzip',
        isContinuous: true,
        accessKey: { accessKeyId: 'AKIDEXAMPLE', secretKey: hiddenTexts.secretKey },
      },
    },
    ...orders,
    settings: { object_storage_concurrency: 4, object_storage_use_cluster_function: false },
  },
  azure: {
    name: 'blobs',
    source: {
      objectStorage: {
        azureContainerName: 'orders',
        path: 'daily/*.parquet',
        connectionString: `DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${hiddenTexts.accountKey}`,
      },
    },
    ...orders,
  },
  kinesis: {
    name: 'clicks',
    source: {
      kinesis: {
        streamName: 'clicks',
        region: 'eu-west-1',
        useEnhancedFanOut: true,
        timestamp: 1_760_000_000,
        accessKey: { accessKeyId: 'AKIDEXAMPLE', secretKey: hiddenTexts.secretKey },
      },
    },
    ...orders,
  },
  postgres: {
    name: 'shop',
    source: {
      postgres: {
        host: 'db.example.com',
        port: 5432,
        database: 'shop',
        credentials: { username: 'reader', password: hiddenTexts.password },
        settings: { syncIntervalSeconds: 10, pullBatchSize: 1000, allowNullableColumns: true },
        tableMappings: [
          {
            sourceSchemaName: 'public',
            sourceTable: 'orders',
            targetTable: 'orders',
            excludedColumns: ['note'],
            useCustomSortingKey: true,
            sortingKeys: ['id'],
          },
        ],
      },
    },
    destination: { database: 'shop', roles: ['ingest_role'] },
  },
} satisfies Record<string, BodyOf<'pipes.create'>>

const tiles = [
  {
    name: 'Errors',
    x: 0,
    y: 0,
    w: 12,
    h: 4,
    asRatio: true,
    series: [
      { type: 'time', dataSource: 'events', aggFn: 'count', where: 'level:error', groupBy: ['service'] },
      { type: 'time', dataSource: 'events', aggFn: 'count', where: '', groupBy: [], displayType: 'line' },
    ],
  },
  { name: 'Notes', x: 12, y: 0, w: 12, h: 4, series: [{ type: 'markdown', content: '# On call' }] },
] satisfies NonNullable<BodyOf<'dashboards.create'>['tiles']>

export const bucketBody = {
  bucketProvider: 'S3',
  bucketPath: 'http://127.0.0.1:9000/backups/analytics',
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: hiddenTexts.bucketSecret,
} satisfies BodyOf<'backupBucket.create'>

/** A service of the main organization whose tables can be read. */
export const sourceService = '33333333-3333-4333-8333-333333333333'

/** A dashboard of the main organization that is not changed, with one tile. */
export const alertDashboard = {
  ...{ id: 'aaaaaaaaaaaaaaaaaaaaaaa1', name: 'Watched', tags: [] },
  tiles: [
    {
      ...{ id: 'aaaaaaaaaaaaaaaaaaaaaaa2', name: 'Errors', x: 0, y: 0, w: 4, h: 4, asRatio: false },
      series: [{ type: 'number', dataSource: 'events', aggFn: 'count', where: '', groupBy: [] }],
    },
  ],
} satisfies DashboardRecord
export const alertBody = {
  ...{ name: 'Errors', dashboardId: alertDashboard.id, tileId: 'aaaaaaaaaaaaaaaaaaaaaaa2', interval: '5m' },
  ...{ threshold: 1, thresholdType: 'above', channel: { type: 'webhook', url: 'https://192.0.32.8/hook' } },
} satisfies BodyOf<'alerts.create'>

const none = { bodies: [] } satisfies { bodies: [] }

/** A valid call of every operation. An operation without an entry here does not compile. */
export const samples: { [Id in OperationId]: Sample<Id> } = {
  'organizations.list': none,
  'organizations.get': none,
  'organizations.update': { bodies: [{ name: 'Acme', tier: 'SCALE', paid: true }] },
  'organizations.metrics': none,
  'organizations.pipes': none,
  'organizations.backups': none,
  'organizations.changes': none,
  'organizations.history': none,
  'services.history': none,
  'pipes.history': none,
  'pipes.lanes': none,
  'pipes.rejectedRecords': none,
  'pipes.rejectedReasons': none,
  'quotas.list': none,
  'quotas.get': none,
  'activities.list': none,
  'activities.get': none,
  'demo.get': none,
  'demo.start': none,
  'demo.remove': none,
  'keys.list': none,
  'keys.create': {
    bodies: [
      {
        name: 'deploy',
        roles: ['developer'],
        state: 'enabled',
        expireAt: '2099-01-01T00:00:00Z',
        ipAccessList: [{ source: '10.0.0.0/8', description: 'Office' }],
      },
      { name: 'wall', kind: 'dashboard', roles: ['admin'], expireAt: null, serviceGrants: [] },
    ],
  },
  'keys.get': none,
  'keys.update': {
    bodies: [{ name: 'renamed', roles: ['developer'], expireAt: '2098-01-01T00:00:00Z' }],
  },
  'keys.delete': { bodies: [], prepare: async (world) => ({ keyId: await world.newKey() }) },
  'session.create': {
    bodies: [{ keyId: 'mainKey', keySecret: 'main-secret-0123' }, { token: 'main-token-01234' }],
  },
  'session.get': none,
  'session.delete': none,
  'sessions.list': none,
  'sessions.delete': { bodies: [], prepare: async (world) => ({ sessionId: await world.newSession() }) },
  'services.list': none,
  'services.create': {
    bodies: [
      {
        name: 'Analytics 1',
        tier: 'production',
        provider: 'local',
        region: 'local',
        minReplicaMemoryGb: 16,
        maxReplicaMemoryGb: 64,
        numReplicas: 2,
        idleScaling: false,
        idleTimeoutMinutes: 10,
        ipAccessList: [{ source: '10.0.0.0/8', description: 'Office' }],
        tags: [{ key: 'team', value: 'data' }],
      },
      { name: 'by totals', minTotalMemoryGb: 24, maxTotalMemoryGb: 360 },
    ],
  },
  'services.get': none,
  'services.update': {
    bodies: [
      { name: 'Renamed', ipAccessList: { add: [{ source: '192.168.0.0/16' }] }, tags: [{ key: 'a' }] },
      { ipAccessList: [{ source: '::1', description: 'Here' }] },
    ],
  },
  'services.query': { bodies: [{ query: 'SELECT {a:UInt8}', parameters: { a: 1 }, maxRows: 10 }] },
  'services.export': { bodies: [{ query: 'SELECT 1', format: 'CSVWithNames' }] },
  'services.cancelQuery': none,
  'services.delete': {
    bodies: [],
    prepare: async (world) => ({ serviceId: await world.newStoppedService() }),
  },
  'services.updateScaling': {
    bodies: [{ minTotalMemoryGb: 24, maxTotalMemoryGb: 48, numReplicas: 3, idleScaling: true }],
  },
  'services.updateReplicaScaling': {
    bodies: [{ minReplicaMemoryGb: 8, maxReplicaMemoryGb: 16, numReplicas: 2, idleTimeoutMinutes: 5 }],
  },
  'services.updateState': {
    bodies: [{ command: 'stop' }],
    prepare: async (world) => ({ serviceId: await world.newService() }),
  },
  'services.resetPassword': {
    bodies: [{}, { newPasswordHash: 'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=' }],
  },
  'services.cancelRestore': {
    bodies: [],
    prepare: async (world) => ({ serviceId: await world.newRestoredService() }),
  },
  'services.metrics': none,
  'queries.list': none,
  'queries.create': {
    bodies: [
      { name: 'a query', text: 'SELECT 1', serviceId: null },
      { name: 'q', text: 'x' },
    ],
  },
  'queries.get': none,
  'queries.replace': { bodies: [{ name: 'another', text: 'SELECT 2' }] },
  'queries.delete': {
    bodies: [],
    prepare: async (world) => ({ namedQueryId: await world.newNamedQuery() }),
  },
  'serviceUsers.list': none,
  'serviceUsers.create': {
    bodies: [
      { name: 'grafana', role: 'readOnly' },
      { name: 'etl', passwordHash: 'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=' },
    ],
    // A name can be used once.
    prepare: async (world) => ({ serviceId: await world.newService() }),
  },
  'serviceUsers.get': none,
  'serviceUsers.update': { bodies: [{ role: 'readOnly' }] },
  'serviceUsers.delete': { bodies: [], prepare: async (world) => ({ userId: await world.newUser() }) },
  'serviceUsers.resetPassword': {
    bodies: [{}, { newPasswordHash: 'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=' }],
  },
  'pipes.list': none,
  'pipes.create': {
    bodies: [
      pipeBodies.kafka,
      pipeBodies.objectStorage,
      pipeBodies.azure,
      pipeBodies.kinesis,
      pipeBodies.postgres,
    ],
  },
  'pipes.discoverSchema': { bodies: [{ source: pipeBodies.kafka.source }] },
  'pipes.get': none,
  'pipes.update': {
    bodies: [
      {
        name: 'orders v2',
        source: { kafka: { credentials: { username: 'reader', password: hiddenTexts.password } } },
        scaling: { replicas: 3 },
        settings: { db_max_threads: null },
      },
    ],
  },
  'pipes.delete': { bodies: [], prepare: async (world) => ({ pipeId: await world.newPipe() }) },
  'pipes.updateState': {
    bodies: [{ command: 'stop' }],
    prepare: async (world) => ({ pipeId: await world.newPipe() }),
  },
  'pipes.updateScaling': { bodies: [{ replicas: 4, replicaCpuMillicores: 500, replicaMemoryGb: 0.5 }] },
  'pipes.getSettings': none,
  'pipes.updateSettings': { bodies: [{ streaming_max_insert_wait_ms: 2000, db_max_threads: null }] },
  'backups.list': none,
  // A service makes one backup at a time.
  'backups.create': { bodies: [], prepare: async (world) => ({ serviceId: await world.newService() }) },
  'backups.get': none,
  // A backup cannot be verified again while it is being read.
  'backups.verify': { bodies: [], prepare: (world) => world.newFinishedBackup() },
  'backupConfiguration.get': none,
  'backupConfiguration.update': {
    bodies: [{ backupPeriodInHours: 48, backupRetentionPeriodInHours: 168, backupStartTime: '02:00' }],
  },
  'backupBucket.get': none,
  'backupBucket.create': {
    bodies: [
      bucketBody,
      {
        bucketPath: 'https://acme.s3.eu-central-1.amazonaws.com/',
        iamRoleArn: 'arn:aws:iam::123456789012:role/granary',
        iamRoleSessionName: 'granary',
      },
    ],
    // A service has one bucket.
    prepare: async (world) => ({ serviceId: await world.newService() }),
  },
  'backupBucket.update': {
    bodies: [{ accessKeyId: 'another', secretAccessKey: hiddenTexts.bucketSecret }],
    prepare: async (world) => ({ serviceId: await world.newBucket() }),
  },
  'backupBucket.delete': { bodies: [], prepare: async (world) => ({ serviceId: await world.newBucket() }) },
  'dashboards.list': none,
  'dashboards.create': { bodies: [{ name: 'Overview', tiles, tags: ['production', 'web'] }] },
  'dashboards.get': none,
  'dashboards.replace': { bodies: [{ name: 'Overview 2', tiles, tags: [] }] },
  'dashboards.delete': {
    bodies: [],
    prepare: async (world) => ({ dashboardId: await world.newDashboard() }),
  },
  'dashboards.validate': { bodies: [{ name: 'Overview', tiles }] },
  'dashboards.import': {
    bodies: [
      { format: 'granary', dashboard: { name: 'Overview', tiles } },
      {
        format: 'grafana',
        dashboard: {
          ...{
            title: 'Shop',
            time: { from: 'now-6h', to: 'now' },
            templating: { list: [{ name: 'env', type: 'custom', query: 'a,b' }] },
          },
          panels: [
            { id: 1, type: 'stat', gridPos: { x: 0, y: 0, w: 4, h: 4 }, targets: [{ rawSql: 'SELECT 1' }] },
          ],
        },
        dryRun: true,
      },
    ],
  },
  'dashboards.listVersions': none,
  'dashboards.getVersion': none,
  'dashboards.restoreVersion': none,
  'dashboards.queryTile': { bodies: [{}, { startTime: 0, endTime: 1000, refresh: true }] },
  'dashboards.listVariableValues': { bodies: [{}] },
  'charts.series': {
    isOfMain: true,
    bodies: [{ series: [{ aggFn: 'count' }], startTime: 0, endTime: 60_000 }],
  },
  'charts.where': { isOfMain: true, bodies: [{ where: 'level:error' }] },
  'sources.list': none,
  'sources.create': {
    bodies: [
      {
        // Names are unique, and the walk sends this body more than once.
        get name() {
          return `a source ${newHexId(0)}`
        },
        ...{ serviceId: sourceService, table: 'logs' },
      },
      {
        name: 'metrics of it',
        kind: 'metrics',
        serviceId: sourceService,
        table: 'logs',
        metric: { labels: [] },
      },
    ],
    isOfMain: true,
  },
  'sources.proposals': none,
  'sources.get': none,
  'sources.replace': { bodies: [{ name: 'another', serviceId: sourceService, table: 'logs', aliases: {} }] },
  'alerts.list': none,
  'alerts.create': {
    bodies: [alertBody, { ...alertBody, thresholdType: 'between', thresholdMax: 5, enabled: false }],
    isOfMain: true,
  },
  'alerts.get': none,
  'alerts.replace': { bodies: [{ ...alertBody, message: 'Look at it.', numConsecutiveWindows: 3 }] },
  'alerts.delete': { bodies: [], prepare: async (world) => ({ alertId: await world.newAlert() }) },
  'alerts.history': none,
  'sources.delete': { bodies: [], prepare: async (world) => ({ sourceId: await world.newSource() }) },
}
