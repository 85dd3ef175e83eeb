import { visibleServices } from '../domain/key/permissions.ts'
import type { ReplicaResources, ServiceResources } from '../domain/service/resources.ts'
import { type ServiceRecord, type ServiceState, serviceStates } from '../domain/service/types.ts'
import { type Caller, type ControlContext, loadService } from './context.ts'
import { type MeasuredPipe, pipeMetrics } from './pipe-metrics.ts'

/**
 * Metrics of services in the Prometheus text format. They are read from the store and from the state of the
 * running replicas: a scrape sends no query, so it neither wakes an idle service nor keeps one awake.
 */
export async function serviceMetrics(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  query: MetricsQuery,
): Promise<string> {
  return format(context, [await loadService(context.store, caller, serviceId)], query)
}

export async function organizationMetrics(
  context: ControlContext,
  caller: Caller,
  query: MetricsQuery,
): Promise<string> {
  const visible = visibleServices(caller.key)
  const services = await context.store.services.list(caller.key.organizationId)
  return format(context, visible === 'all' ? services : services.filter(({ id }) => visible.has(id)), query)
}

export interface MetricsQuery {
  filtered_metrics?: boolean
}

export interface Metric {
  name: string
  help: string
  type?: 'gauge' | 'counter'
  /** Also shown when the caller asks only for the most important metrics. */
  important: boolean
  samples(
    service: ServiceRecord,
    resources: ServiceResources,
    lastBackupAtMs: number,
    pipes: readonly MeasuredPipe[],
  ): Sample[]
}

export interface Sample {
  labels?: Record<string, string>
  value: number
}

const gib = 1024 ** 3
const states: readonly ServiceState[] = serviceStates

const metrics: readonly Metric[] = [
  {
    name: 'granary_service_info',
    help: 'What a service is; the value is always 1.',
    important: true,
    samples: ({ spec, status, warehouseId }) => [
      {
        labels: {
          service_name: spec.name,
          service_state: status.state,
          data_warehouse: warehouseId,
          provider: spec.provider,
          region: spec.region,
          db_version: status.dbVersion,
        },
        value: 1,
      },
    ],
  },
  {
    name: 'granary_service_state',
    help: '1 for the state that the service is in, 0 for the others.',
    important: false,
    samples: ({ status }) =>
      states.map((state) => ({ labels: { state }, value: state === status.state ? 1 : 0 })),
  },
  {
    name: 'granary_service_replicas',
    help: 'Replicas that run.',
    important: true,
    samples: ({ status }) => [{ value: status.current.numReplicas }],
  },
  {
    name: 'granary_service_replicas_desired',
    help: 'Replicas asked for.',
    important: true,
    samples: ({ spec }) => [{ value: spec.numReplicas }],
  },
  {
    name: 'granary_service_replica_memory_bytes',
    help: 'Memory of each replica now; 0 while none runs.',
    important: true,
    samples: ({ status }) => [{ value: status.current.replicaMemoryGb * gib }],
  },
  {
    name: 'granary_service_replica_memory_min_bytes',
    help: 'Lower bound of automatic scaling, per replica.',
    important: false,
    samples: ({ spec }) => [{ value: spec.minReplicaMemoryGb * gib }],
  },
  {
    name: 'granary_service_replica_memory_max_bytes',
    help: 'Upper bound of automatic scaling, per replica.',
    important: false,
    samples: ({ spec }) => [{ value: spec.maxReplicaMemoryGb * gib }],
  },
  {
    name: 'granary_service_generation',
    help: 'How often what is asked of the service has changed.',
    important: false,
    samples: ({ generation }) => [{ value: generation }],
  },
  {
    name: 'granary_service_parts',
    help: 'Active parts of the tables of the warehouse.',
    important: true,
    samples: (_, { parts }) => [{ value: parts }],
  },
  {
    name: 'granary_service_stored_bytes',
    help: 'What the active parts hold on disk.',
    important: true,
    samples: (_, { storedBytes }) => [{ value: storedBytes }],
  },
  {
    name: 'granary_service_last_good_backup_timestamp_seconds',
    help: 'When the newest backup that was read back whole began, in Unix time; 0 = there is none.',
    important: true,
    samples: ({ isPrimary }, _, lastBackupAtMs) => (isPrimary ? [{ value: lastBackupAtMs / 1000 }] : []),
  },
  ...perReplica([
    ['up', 'Whether the replica answers queries.', ({ serving }) => (serving ? 1 : 0)],
    ['uptime_seconds', 'Since the replica was last started.', ({ uptimeSeconds }) => uptimeSeconds],
    ['restarts_total', 'How often the replica had to be started again.', ({ restarts }) => restarts],
    ['memory_limit_bytes', 'The most memory that the replica may use.', (it) => it.memoryLimitBytes],
    ['memory_bytes', 'Memory that the replica uses.', ({ memoryBytes }) => memoryBytes],
    ['cpu_seconds_total', 'Processor time of the replica.', ({ cpuSeconds }) => cpuSeconds],
    ['running_queries', 'Queries that run on the replica.', ({ runningQueries }) => runningQueries],
    ['queries_total', 'Queries of the replica.', ({ queries }) => queries],
    ['failed_queries_total', 'Queries of the replica that failed.', (it) => it.failedQueries],
    ['rows_read_total', 'Rows read by queries.', ({ rowsRead }) => rowsRead],
    ['bytes_read_total', 'Bytes read by queries.', ({ bytesRead }) => bytesRead],
    ['rows_written_total', 'Rows written by inserts.', ({ rowsWritten }) => rowsWritten],
    ['bytes_written_total', 'Bytes written by inserts.', ({ bytesWritten }) => bytesWritten],
  ]),
  ...pipeMetrics,
]

function perReplica(
  definitions: [name: string, help: string, read: (replica: ReplicaResources) => number][],
): Metric[] {
  return definitions.map(([name, help, read]) => ({
    name: `granary_replica_${name}`,
    help,
    type: name.endsWith('_total') ? 'counter' : 'gauge',
    important: name === 'up' || name === 'memory_bytes',
    samples: (_, { replicas }) =>
      replicas.map((replica) => ({
        labels: { replica: replica.id, role: replica.role },
        value: read(replica),
      })),
  }))
}

async function format(
  { resources, store, pipeStatus }: ControlContext,
  services: readonly ServiceRecord[],
  query: MetricsQuery,
): Promise<string> {
  const lines: string[] = []
  const known = await Promise.all(
    services.map(async (service) => ({
      service,
      used: await resources(service),
      backedUpAtMs: (await store.backups.newestGood(service.id))?.startedAtMs ?? 0,
      pipes: (await store.pipes.list(service.id)).map((pipe) => ({ pipe, status: pipeStatus(pipe.id) })),
    })),
  )
  for (const metric of metrics) {
    if (query.filtered_metrics && !metric.important) continue
    lines.push(`# HELP ${metric.name} ${metric.help}`, `# TYPE ${metric.name} ${metric.type ?? 'gauge'}`)
    for (const { service, used, backedUpAtMs, pipes } of known) {
      for (const { labels, value } of metric.samples(service, used, backedUpAtMs, pipes)) {
        const all = { organization: service.organizationId, service: service.id, ...labels }
        lines.push(`${metric.name}{${Object.entries(all).map(formatLabel).join(',')}} ${value}`)
      }
    }
  }
  return `${lines.join('\n')}\n`
}

function formatLabel([name, value]: [string, string]): string {
  return `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}
