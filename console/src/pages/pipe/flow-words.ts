/** What the boxes of the flow picture say. */
import type { Result } from '../../api/operations.ts'
import { isPipeBusy } from '../../kit/states.ts'
import { formatDuration } from '../../lib/durations.ts'
import { significant } from '../../lib/numbers.ts'
import { sourceKindOf, sourceKinds } from '../../lib/source-kinds.ts'
import { counted } from '../../lib/words.ts'

type Pipe = Result<'pipes.get'>

export interface BoxWords {
  kind: string
  what: string
  /** Beside it, smaller. */
  more?: string
  /** In full, where `what` is only the end of it. */
  whole?: string
  notes: string[]
}

/** How the wires look: they move only while records do, and are ember where something is in the way. */
export function flowOf({ state, stats }: Pick<Pipe, 'state' | 'stats'>): 'moves' | 'rests' | 'stuck' {
  if (state === 'Degraded' || state === 'Failed') return 'stuck'
  if (!stats || !(state === 'Running' || isPipeBusy(state))) return 'rests'
  if (stats.waiting !== '') return 'stuck'
  return stats.rowsPerSecond > 0 ? 'moves' : 'rests'
}

export function sourceWords({ source, stats }: Pick<Pipe, 'source' | 'stats'>): BoxWords {
  const { kafka, objectStorage, kinesis, postgres } = source
  const lanes = Number(stats?.facts['lanes'] ?? 0)
  if (kafka) {
    const topics = kafka.topics.split(',').map((topic) => topic.trim())
    return {
      ...{ kind: topics.length === 1 ? 'Kafka topic' : 'Kafka topics', what: topics.join(', ') },
      notes: [
        listed(lanes > 0 && counted(lanes, 'partition'), counted(kafka.brokers.split(',').length, 'broker')),
        listed(kafka.format, kafka.authentication),
      ],
    }
  }
  if (kinesis) {
    return {
      ...{ kind: 'Kinesis stream', what: kinesis.streamName },
      notes: [listed(lanes > 0 && counted(lanes, 'shard'), kinesis.region), kinesis.format],
    }
  }
  if (postgres) {
    return {
      ...{ kind: 'Postgres database', what: postgres.database },
      notes: [`${postgres.host}:${postgres.port}`, counted(postgres.tableMappings.length, 'table')],
    }
  }
  const { name } = sourceKinds.objectStorage
  if (!objectStorage) return { kind: name, what: '', notes: [] }
  const { url, path, azureContainerName, format, compression, isContinuous } = objectStorage
  const whole = url || `${azureContainerName}/${path}`
  return {
    ...{ kind: name, what: endOf(whole), whole },
    notes: [
      listed(format, compression !== 'auto' && compression),
      isContinuous ? 'goes on with new objects' : 'loads what is there',
    ],
  }
}

export function workerWords({ source, scaling, settings, stats }: Pipe): BoxWords {
  const once = stats && (stats.delivery === 'exactly_once' ? 'each record once' : 'each record at least once')
  if (source.postgres) return { kind: 'Worker', what: 'Shared', notes: [once ?? ''] }
  const { replicas, replicaCpuMillicores, replicaMemoryGb } = scaling
  const cores = replicaCpuMillicores / 1000
  const pace = source.objectStorage
    ? source.objectStorage.isContinuous &&
      source.objectStorage.queueUrl === '' &&
      `looks every ${formatDuration(settings.object_storage_polling_interval_ms)}`
    : `a batch every ${formatDuration(settings.streaming_max_insert_wait_ms)}`
  return {
    ...{ kind: replicas === 1 ? 'Worker' : 'Workers', what: String(replicas) },
    more: `× ${significant(cores)} ${cores === 1 ? 'core' : 'cores'}, ${significant(replicaMemoryGb)} GB`,
    notes: [pace || '', once ?? ''],
  }
}

export function tableWords({ source, destination }: Pick<Pipe, 'source' | 'destination'>): BoxWords {
  const { database, table } = destination
  const mappings = source.postgres?.tableMappings
  if (!mappings) return { kind: 'Table', what: `${database}.${table}`, notes: [] }
  const names = mappings.map(({ targetTable }) => targetTable)
  return {
    ...{ kind: names.length === 1 ? 'Table' : 'Tables' },
    what: `${database}.${names.length === 1 ? names[0] : '*'}`,
    notes: names.length === 1 ? [] : [names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '')],
  }
}

/** What the parts of the pipe's source that are read one beside the other are called. */
export const laneTitle = (source: Pipe['source']): string =>
  ({ kafka: 'Partitions', kinesis: 'Shards', objectStorage: 'Shares of the objects', postgres: 'Tables' })[
    sourceKindOf(source)
  ]

/** The last two names of a long address. */
const endOf = (address: string): string =>
  address.length <= 40 ? address : `…/${address.split('/').slice(-2).join('/')}`

const listed = (...parts: (string | false)[]): string => parts.filter(Boolean).join(', ')
