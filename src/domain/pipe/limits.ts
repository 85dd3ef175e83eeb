/**
 * Every number and every list of values of the pipe interface, named once. The schemas, the rules, the console
 * and the documentation all read them from here.
 */
export const sourceKinds = ['kafka', 'objectStorage', 'kinesis', 'postgres'] as const
export type SourceKind = (typeof sourceKinds)[number]

export const pipeStates = [
  'Provisioning',
  'Setup',
  'Snapshot',
  'Running',
  'Degraded',
  'Stopping',
  'Stopped',
  'Pausing',
  'Paused',
  'Resync',
  'Completed',
  'Failed',
] as const
export const pipeCommands = ['start', 'stop', 'resync'] as const

export const kafkaTypes = [
  'kafka',
  'redpanda',
  'msk',
  'gcmk',
  'confluent',
  'warpstream',
  'azureeventhub',
  'dokafka',
] as const
export const kafkaFormats = ['JSONEachRow', 'Avro', 'AvroConfluent', 'Protobuf'] as const
export const kafkaAuthentications = [
  'PLAIN',
  'SCRAM-SHA-256',
  'SCRAM-SHA-512',
  'IAM_ROLE',
  'IAM_USER',
  'MUTUAL_TLS',
] as const
export const schemaRegistryAuthentications = ['PLAIN'] as const
export const offsetStrategies = ['from_beginning', 'from_latest', 'from_timestamp'] as const

export const objectStorageTypes = [
  's3',
  'gcs',
  'dospaces',
  'azureblobstorage',
  'cloudflarer2',
  'ovhobjectstorage',
  'file',
] as const
export const objectStorageFormats = [
  'JSONEachRow',
  'JSONAsObject',
  'CSV',
  'CSVWithNames',
  'TabSeparated',
  'TabSeparatedWithNames',
  'Parquet',
  'Avro',
] as const
export const compressions = ['none', 'gzip', 'gz', 'brotli', 'br', 'xz', 'LZMA', 'zstd', 'auto'] as const
export const objectStorageAuthentications = [
  'IAM_ROLE',
  'IAM_USER',
  'CONNECTION_STRING',
  'SERVICE_ACCOUNT',
] as const

export const kinesisFormats = ['JSONEachRow', 'Avro', 'AvroConfluent'] as const
export const kinesisAuthentications = ['IAM_ROLE', 'IAM_USER'] as const
export const iteratorTypes = ['TRIM_HORIZON', 'LATEST', 'AT_TIMESTAMP'] as const
/** Seconds since 1970 reach this in the year 5138; anything above is milliseconds sent by mistake. */
export const kinesisTimestampEnd = 1e11

export const postgresTypes = [
  'postgres',
  'supabase',
  'neon',
  'alloydb',
  'planetscale',
  'rdspostgres',
  'aurorapostgres',
  'cloudsqlpostgres',
  'azurepostgres',
  'crunchybridge',
  'tigerdata',
] as const
export const postgresAuthentications = ['basic', 'IAM_ROLE'] as const
export const replicationModes = ['cdc', 'snapshot', 'cdc_only'] as const
export const mappingEngines = ['MergeTree', 'ReplacingMergeTree', 'Null'] as const
export const destinationEngines = ['MergeTree', 'ReplacingMergeTree', 'SummingMergeTree', 'Null'] as const

export interface Bound {
  readonly min: number
  readonly max: number
  readonly default: number
}

const streaming = ['kafka', 'kinesis'] as const
const files = ['objectStorage'] as const
const allButDatabases = ['kafka', 'objectStorage', 'kinesis'] as const

/** Numeric pipe settings; `kinds` are the sources that have the setting. */
export const numberSettings = {
  streaming_max_insert_wait_ms: { min: 500, max: 60_000, default: 5_000, kinds: streaming },
  object_storage_concurrency: { min: 1, max: 35, default: 1, kinds: files },
  object_storage_polling_interval_ms: { min: 100, max: 3_600_000, default: 30_000, kinds: files },
  object_storage_max_insert_bytes: {
    min: 10_485_760,
    max: 53_687_091_200,
    default: 10_737_418_240,
    kinds: files,
  },
  object_storage_max_file_count: { min: 1, max: 10_000, default: 100, kinds: files },
  // 0 leaves the number of threads to the engine.
  db_max_threads: { min: 0, max: 64, default: 0, kinds: allButDatabases },
  db_max_insert_threads: { min: 0, max: 16, default: 1, kinds: allButDatabases },
  db_min_insert_block_size_bytes: {
    min: 0,
    max: 10_737_418_240,
    default: 1_073_741_824,
    kinds: allButDatabases,
  },
  db_max_download_threads: { min: 0, max: 32, default: 4, kinds: allButDatabases },
  db_parallel_distributed_insert_select: { min: 0, max: 2, default: 2, kinds: allButDatabases },
} as const satisfies Record<string, Bound & { kinds: readonly SourceKind[] }>

export const flagSettings = {
  object_storage_use_cluster_function: { default: true, kinds: files },
  db_parallel_view_processing: { default: false, kinds: allButDatabases },
} as const satisfies Record<string, { default: boolean; kinds: readonly SourceKind[] }>

/** The bound of counts that have no other: the sources' protocols use 32 bits. */
const int32Max = 2_147_483_647

export const postgresNumberSettings = {
  syncIntervalSeconds: { min: 1, max: int32Max, default: 60 },
  pullBatchSize: { min: 1, max: int32Max, default: 100_000 },
  initialLoadParallelism: { min: 1, max: int32Max, default: 4 },
  snapshotNumRowsPerPartition: { min: 1_000, max: int32Max, default: 100_000 },
  snapshotNumberOfParallelTables: { min: 1, max: int32Max, default: 1 },
} as const satisfies Record<string, Bound>

export const portLimits = { min: 1, max: 65_535, default: 5432 } as const satisfies Bound

export const scalingLimits = {
  replicas: { min: 1, max: 40, default: 1 },
  // 0 derives the concurrency from the memory of a replica.
  concurrency: { min: 0, max: 34, default: 0 },
  replicaCpuMillicores: { min: 125, max: 2_000, default: 125 },
  replicaMemoryGb: { min: 0.5, max: 8, default: 0.5 },
} as const satisfies Record<string, Bound>

export const nameLength = { min: 1, max: 255 } as const

/** Longest texts, in characters. They keep records small; no source needs more. */
export const textLength = {
  identifier: 255,
  url: 2_048,
  list: 8_192,
  expression: 4_096,
  secret: 8_192,
  certificate: 65_536,
  timestamp: 64,
} as const

/** Longest lists, in items. */
export const listLength = { columns: 10_000, tables: 10_000, roles: 100, endpoints: 100 } as const
