import type { BodyOf, OperationId, OperationTable } from '../operations.ts'
import type { TSchema } from '../schema.ts'
import { exampleIds } from './example-ids.ts'
import { type Example, pipeRequests } from './pipe-examples.ts'

type WithBody = {
  [Id in OperationId]: OperationTable[Id] extends { body: TSchema } ? Id : never
}[OperationId]

const errorsTile = {
  name: 'Errors per minute',
  x: 0,
  y: 0,
  w: 12,
  h: 4,
  series: [
    {
      type: 'time',
      dataSource: 'events',
      aggFn: 'count',
      where: 'level:error',
      groupBy: ['service'],
    },
  ],
} satisfies NonNullable<BodyOf<'dashboards.create'>['tiles']>[number]

const errorsAlert = {
  ...{ name: 'Errors', dashboardId: exampleIds.dashboard, tileId: exampleIds.tile, interval: '5m' },
  ...{ threshold: 100, thresholdType: 'above' },
  channel: { type: 'webhook', url: 'https://hooks.example.com/x' },
} satisfies BodyOf<'alerts.create'>

const { name: _, ...ordersToBe } = pipeRequests.kafka.value

/** Requests that the server accepts as they are. The first one of each operation is shown as its curl command. */
export const exampleRequests = {
  'organizations.update': {
    rename: { summary: 'Give it another name', value: { name: 'Acme Analytics' } },
    tier: { summary: 'Move to another tier', value: { tier: 'ENTERPRISE', paid: true } },
  },
  'keys.create': {
    admin: { summary: 'A key that may do everything', value: { name: 'terraform', roles: ['admin'] } },
    reader: {
      summary: 'A key that reads one service, until a day',
      value: {
        name: 'grafana',
        serviceGrants: [{ serviceId: exampleIds.service, role: 'developer' }],
        expireAt: '2030-01-01T00:00:00Z',
      },
    },
    token: {
      summary: 'A token for the dashboard API',
      value: { name: 'wallboard', kind: 'dashboard', roles: ['developer'] },
    },
  },
  'keys.update': { disable: { summary: 'Switch it off', value: { state: 'disabled' } } },
  'session.create': {
    key: {
      summary: 'With a key',
      value: { keyId: 'mkQ7dYtR2pXwVb4Zs9Lc', keySecret: 'the secret of the key' },
    },
    token: { summary: 'With a dashboard token', value: { token: 'the-token' } },
  },
  'services.create': {
    plain: { summary: 'Everything by default', value: { name: 'analytics' } },
    sized: {
      summary: 'With a size, and open to a network',
      value: {
        name: 'analytics',
        minReplicaMemoryGb: 16,
        maxReplicaMemoryGb: 64,
        idleScaling: true,
        idleTimeoutMinutes: 15,
        ipAccessList: [{ source: '10.0.0.0/8', description: 'Office' }],
        tags: [{ key: 'team', value: 'data' }],
      },
    },
    restored: {
      summary: 'From a backup',
      value: { name: 'analytics-restored', backupId: exampleIds.backup },
    },
  },
  'services.query': {
    top: {
      summary: 'The ten largest customers since a day',
      value: {
        query:
          'SELECT customer, sum(amount) AS total FROM orders WHERE day >= {since:Date} GROUP BY customer ORDER BY total DESC LIMIT 10',
        parameters: { since: '2026-03-01' },
      },
    },
    create: {
      summary: 'Create a table',
      value: { query: 'CREATE TABLE orders (day Date, customer String, amount Decimal(12, 2)) ORDER BY day' },
    },
  },
  'services.export': {
    parquet: {
      summary: 'A table as a file',
      value: { query: 'SELECT * FROM orders', format: 'Parquet' },
    },
  },
  'services.update': {
    rename: { summary: 'Give it another name', value: { name: 'analytics-eu' } },
    access: {
      summary: 'Let one more network in',
      value: { ipAccessList: { add: [{ source: '192.168.0.0/16', description: 'VPN' }] } },
    },
  },
  'services.updateScaling': {
    totals: {
      summary: 'Both bounds, counted over three replicas',
      value: { minTotalMemoryGb: 24, maxTotalMemoryGb: 48 },
    },
  },
  'services.updateReplicaScaling': {
    vertical: {
      summary: 'Memory per replica',
      value: { minReplicaMemoryGb: 16, maxReplicaMemoryGb: 64, idleScaling: true, idleTimeoutMinutes: 10 },
    },
    horizontal: { summary: 'More replicas', value: { numReplicas: 3 } },
  },
  'queries.create': {
    plain: {
      summary: 'For one service',
      value: {
        name: 'orders of today',
        text: 'SELECT count() FROM orders WHERE at >= today()',
        serviceId: exampleIds.service,
      },
    },
  },
  'queries.replace': {
    plain: { summary: 'For any service', value: { name: 'one', text: 'SELECT 1', serviceId: null } },
  },
  'services.updateState': {
    stop: { summary: 'Stop it', value: { command: 'stop' } },
    start: { summary: 'Start it', value: { command: 'start' } },
  },
  'services.resetPassword': {
    made: { summary: 'Let one be made', value: {} },
    own: {
      summary: 'One of your own, as base64 of its SHA-256',
      value: { newPasswordHash: 'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=' },
    },
  },
  'serviceUsers.create': {
    reader: {
      summary: 'One that only reads, with a password made for it',
      value: { name: 'grafana', role: 'readOnly' },
    },
    own: {
      summary: 'One that also writes, with a password of your own',
      value: { name: 'etl', passwordHash: 'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=' },
    },
  },
  'serviceUsers.update': { writer: { summary: 'Let it write', value: { role: 'readWrite' } } },
  'serviceUsers.resetPassword': {
    made: { summary: 'Let one be made', value: {} },
    own: {
      summary: 'One of your own, as base64 of its SHA-256',
      value: { newPasswordHash: 'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=' },
    },
  },
  'pipes.create': pipeRequests,
  'pipes.discoverSchema': {
    kafka: { summary: 'Of a topic', value: { source: pipeRequests.kafka.value.source } },
    files: { summary: 'Of files', value: { source: pipeRequests.objectStorage.value.source } },
    rows: { summary: 'With the rows that the records become', value: ordersToBe },
  },
  'pipes.update': {
    rename: { summary: 'Give it another name', value: { name: 'orders v2' } },
    rotate: {
      summary: 'Exchange the credentials',
      value: { source: { kafka: { credentials: { username: 'granary', password: 'a newer secret' } } } },
    },
  },
  'pipes.updateState': {
    stop: { summary: 'Stop it', value: { command: 'stop' } },
    start: { summary: 'Start it', value: { command: 'start' } },
    resync: { summary: 'Load the tables anew (Postgres)', value: { command: 'resync' } },
  },
  'pipes.updateScaling': {
    larger: {
      summary: 'More and larger workers',
      value: { replicas: 2, replicaCpuMillicores: 500, replicaMemoryGb: 2 },
    },
  },
  'pipes.updateSettings': {
    faster: { summary: 'Write more often', value: { streaming_max_insert_wait_ms: 1000 } },
    reset: { summary: 'Back to the default', value: { streaming_max_insert_wait_ms: null } },
  },
  'backupConfiguration.update': {
    daily: {
      summary: 'Every night, kept for a week',
      value: { backupPeriodInHours: 24, backupRetentionPeriodInHours: 168, backupStartTime: '02:00' },
    },
  },
  'backupBucket.create': {
    keys: {
      summary: 'A bucket with an access key',
      value: {
        bucketPath: 'https://minio.example.com:9000/backups/analytics',
        accessKeyId: 'granary',
        secretAccessKey: 'a-secret',
      },
    },
    role: {
      summary: 'A bucket at Amazon, by a role',
      value: {
        bucketPath: 'https://acme-backups.s3.eu-central-1.amazonaws.com/analytics',
        iamRoleArn: 'arn:aws:iam::123456789012:role/granary-backups',
        iamRoleSessionName: 'granary',
      },
    },
  },
  'backupBucket.update': {
    rotate: {
      summary: 'Exchange the access key',
      value: { accessKeyId: 'granary-2', secretAccessKey: 'a-newer-secret' },
    },
  },
  'dashboards.create': {
    chart: {
      summary: 'One chart',
      value: { name: 'Overview', tiles: [errorsTile], tags: ['production'] },
    },
    empty: { summary: 'Empty, to be filled later', value: { name: 'Scratch' } },
  },
  'dashboards.replace': {
    wider: {
      summary: 'The same tile over the whole width',
      value: {
        name: 'Overview',
        tiles: [{ id: exampleIds.tile, ...errorsTile, w: 24 }],
        tags: ['production'],
      },
    },
  },
  'dashboards.validate': {
    incomplete: {
      summary: 'A where-text without its end',
      value: {
        name: 'Overview',
        tiles: [{ ...errorsTile, series: [{ type: 'time', where: 'level:error AND' }] }],
      },
    },
  },
  'dashboards.import': {
    grafana: {
      summary: 'A dashboard of Grafana, to see what would become of it',
      value: {
        format: 'grafana',
        dryRun: true,
        dashboard: {
          title: 'Shop',
          panels: [
            {
              ...{ id: 1, type: 'timeseries', title: 'Orders', gridPos: { x: 0, y: 0, w: 12, h: 8 } },
              targets: [
                { rawSql: 'SELECT $__timeInterval(ts) AS t, count() FROM orders GROUP BY t ORDER BY t' },
              ],
            },
            { id: 7, type: 'piechart', title: 'By country', gridPos: { x: 12, y: 0, w: 12, h: 8 } },
          ],
        },
      },
    },
  },
  'dashboards.queryTile': {
    asStored: { summary: 'The range of the dashboard', value: {} },
    hour: {
      summary: 'Another hour, and one service only',
      value: { startTime: 1768471200000, endTime: 1768474800000, where: 'service:api' },
    },
  },
  'dashboards.listVariableValues': { all: { summary: 'All of them', value: {} } },
  'charts.series': {
    errors: {
      summary: 'Errors by service, every half hour',
      value: {
        ...{ startTime: 1768471200000, endTime: 1768474800000, granularity: '30m' },
        series: [{ dataSource: 'events', aggFn: 'count', where: 'level:error', groupBy: ['service'] }],
      },
    },
  },
  'charts.where': {
    errors: { summary: 'A filter', value: { dataSource: 'events', where: 'level:error -status:>=500' } },
  },
  'sources.create': {
    logs: {
      summary: 'The rest is read from the table',
      value: { name: 'shop logs', serviceId: exampleIds.service, database: 'shop', table: 'logs' },
    },
  },
  'sources.replace': {
    aliases: {
      summary: 'Other names for fields',
      value: {
        ...{ name: 'shop logs', serviceId: exampleIds.service, database: 'shop', table: 'logs' },
        aliases: { level: 'SeverityText', status: 'Attributes.http.status' },
      },
    },
  },
  'alerts.create': { errors: { summary: 'At least 100 in five minutes', value: errorsAlert } },
  'alerts.replace': {
    silent: { summary: 'Disable it; it keeps its secret', value: { ...errorsAlert, enabled: false } },
  },
} satisfies { [Id in WithBody]: Record<string, Example<BodyOf<Id>>> }
