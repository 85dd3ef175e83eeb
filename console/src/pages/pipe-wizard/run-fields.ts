import type { SourceKind } from '../../lib/source-kinds.ts'
import type { FieldGroup, FieldSpec } from './fields.ts'
import { kafkaRunGroup } from './kafka-fields.ts'
import { type Bound, numberSetting } from './number-setting.ts'
import { postgresRunGroups } from './postgres-fields.ts'

/** The server's bounds; a test holds them to it. */
export const settingBounds = {
  streaming_max_insert_wait_ms: { min: 500, max: 60_000, default: 5_000 },
  object_storage_concurrency: { min: 1, max: 35, default: 1 },
  object_storage_polling_interval_ms: { min: 100, max: 3_600_000, default: 30_000 },
  object_storage_max_insert_bytes: { min: 10_485_760, max: 53_687_091_200, default: 10_737_418_240 },
  object_storage_max_file_count: { min: 1, max: 10_000, default: 100 },
  db_max_threads: { min: 0, max: 64, default: 0 },
  db_max_insert_threads: { min: 0, max: 16, default: 1 },
  db_min_insert_block_size_bytes: { min: 0, max: 10_737_418_240, default: 1_073_741_824 },
  db_max_download_threads: { min: 0, max: 32, default: 4 },
  db_parallel_distributed_insert_select: { min: 0, max: 2, default: 2 },
} satisfies Record<string, Bound>
export const scalingBounds = {
  replicas: { min: 1, max: 40, default: 1 },
  replicaCpuMillicores: { min: 125, max: 2_000, default: 125 },
  replicaMemoryGb: { min: 0.5, max: 8, default: 0.5 },
} satisfies Record<string, Bound>

const setting = (name: keyof typeof settingBounds, label: string, unit?: string): FieldSpec =>
  numberSetting(`settings.${name}`, label, settingBounds[name], unit)
const scale = (name: keyof typeof scalingBounds, label: string, unit?: string): FieldSpec =>
  numberSetting(`scaling.${name}`, label, scalingBounds[name], unit)

const name: FieldGroup = {
  title: 'Pipe',
  fields: [{ path: 'name', label: 'Name', control: 'text', placeholder: 'orders' }],
}
const workers: FieldGroup = {
  title: 'Workers',
  fields: [
    scale('replicas', 'Workers'),
    scale('replicaCpuMillicores', 'Processor per worker', 'm'),
    scale('replicaMemoryGb', 'Memory per worker', 'GB'),
  ],
}
const streaming = [setting('streaming_max_insert_wait_ms', 'Longest wait for a batch', 'ms')]
const files: FieldSpec[] = [
  setting('object_storage_concurrency', 'Files at a time'),
  setting('object_storage_polling_interval_ms', 'Between two listings', 'ms'),
  setting('object_storage_max_insert_bytes', 'Most bytes of a batch', 'B'),
  setting('object_storage_max_file_count', 'Most files of a batch'),
]
const inserts: FieldSpec[] = [
  setting('db_max_threads', 'Threads of a query'),
  setting('db_max_insert_threads', 'Threads of an insert'),
  setting('db_min_insert_block_size_bytes', 'Least bytes of a block', 'B'),
  setting('db_max_download_threads', 'Threads per download'),
  setting('db_parallel_distributed_insert_select', 'Spread of distributed inserts'),
  {
    ...{ path: 'settings.db_parallel_view_processing', label: 'Write to views at the same time' },
    ...{ control: 'switch', isWide: true },
  },
]
const cluster: FieldSpec = {
  ...{ path: 'settings.object_storage_use_cluster_function', label: 'All replicas read files together' },
  ...{ control: 'switch', first: true, isWide: true },
}

const settings = (fields: readonly FieldSpec[]): FieldGroup => ({
  title: 'Settings',
  hint: 'What is left empty keeps the default, in grey.',
  fields,
})

/** What is asked in the last step, by kind. Postgres pipes share their workers. */
export const runGroups: Record<SourceKind, readonly FieldGroup[]> = {
  kafka: [name, kafkaRunGroup, workers, settings([...streaming, ...inserts])],
  objectStorage: [name, workers, settings([...files, ...inserts, cluster])],
  kinesis: [name, workers, settings([...streaming, ...inserts])],
  postgres: [name, ...postgresRunGroups],
}
