import { visibleServices } from '../domain/key/permissions.ts'
import { type ServiceRecord, type ServiceState, serviceStates } from '../domain/service/types.ts'
import { type Caller, type ControlContext, loadService } from './context.ts'

/**
 * Metrics of services in the Prometheus text format. They are read from the store: a scrape reaches no engine,
 * so it neither wakes an idle service nor keeps one awake.
 */
export async function serviceMetrics(
  { store }: ControlContext,
  caller: Caller,
  serviceId: string,
  query: MetricsQuery,
): Promise<string> {
  return format([await loadService(store, caller, serviceId)], query)
}

export async function organizationMetrics(
  { store }: ControlContext,
  caller: Caller,
  query: MetricsQuery,
): Promise<string> {
  const visible = visibleServices(caller.key)
  const services = await store.services.list(caller.key.organizationId)
  return format(visible === 'all' ? services : services.filter(({ id }) => visible.has(id)), query)
}

export interface MetricsQuery {
  filtered_metrics?: boolean
}

interface Metric {
  name: string
  help: string
  /** Also shown when only the most important ones are asked for. */
  important: boolean
  samples(service: ServiceRecord): { labels?: Record<string, string>; value: number }[]
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
]

function format(services: readonly ServiceRecord[], query: MetricsQuery): string {
  const lines: string[] = []
  for (const metric of metrics) {
    if (query.filtered_metrics && !metric.important) continue
    lines.push(`# HELP ${metric.name} ${metric.help}`, `# TYPE ${metric.name} gauge`)
    for (const service of services) {
      for (const { labels, value } of metric.samples(service)) {
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
