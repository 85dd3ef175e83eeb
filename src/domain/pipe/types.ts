import type { Issue } from '../issue.ts'
import type {
  compressions,
  destinationEngines,
  flagSettings,
  iteratorTypes,
  kafkaAuthentications,
  kafkaFormats,
  kafkaTypes,
  kinesisAuthentications,
  kinesisFormats,
  mappingEngines,
  numberSettings,
  objectStorageAuthentications,
  objectStorageFormats,
  objectStorageTypes,
  offsetStrategies,
  pipeCommands,
  pipeStates,
  postgresAuthentications,
  postgresTypes,
  replicationModes,
  schemaRegistryAuthentications,
} from './limits.ts'

/** The intent of a pipe. It holds no secret, so it may be shown; `PipeSecrets` holds the secrets. */
export interface PipeSpec {
  name: string
  source: PipeSource
  destination: PipeDestination
  fieldMappings: FieldMapping[]
  scaling: PipeScaling
  settings: PipeSettings
  /** Accepted in requests and used, but absent from answers. */
  writeOnly: { roles: string[]; validateSamples: boolean }
  desired: 'running' | 'stopped'
  /** Grows with each resync; a runtime whose last full load has a lower number loads everything again. */
  resyncCount: number
}

/** Exactly one member is present. A text without a value is "", a list [], a number 0. */
export interface PipeSource {
  kafka?: KafkaSource
  objectStorage?: ObjectStorageSource
  kinesis?: KinesisSource
  postgres?: PostgresSource
}

export interface KafkaSource {
  type: (typeof kafkaTypes)[number]
  format: (typeof kafkaFormats)[number]
  /** `host:port` pairs, separated by commas. */
  brokers: string
  topics: string
  /** "" = a group named after the pipe. */
  consumerGroup: string
  /** "" = no SASL and no client certificate. */
  authentication: (typeof kafkaAuthentications)[number] | ''
  iamRole: string
  offset: { strategy: (typeof offsetStrategies)[number]; timestamp: string }
  schemaRegistry: {
    url: string
    authentication: (typeof schemaRegistryAuthentications)[number] | ''
    caCertificate: string
  }
  caCertificate: string
  reversePrivateEndpointIds: string[]
  exactlyOnce: boolean
}

export interface ObjectStorageSource {
  type: (typeof objectStorageTypes)[number]
  format: (typeof objectStorageFormats)[number]
  /** "" for Azure, which has a container and a path instead. */
  url: string
  delimiter: string
  compression: (typeof compressions)[number]
  isContinuous: boolean
  queueUrl: string
  /** "" = a public bucket. */
  authentication: (typeof objectStorageAuthentications)[number] | ''
  iamRole: string
  /** The secret parts are masked. */
  connectionString: string
  path: string
  azureContainerName: string
  skipInitialLoad: boolean
  startAfter: string
}

export interface KinesisSource {
  format: (typeof kinesisFormats)[number]
  streamName: string
  region: string
  useEnhancedFanOut: boolean
  iteratorType: (typeof iteratorTypes)[number]
  /** Seconds since 1970; 0 unless `iteratorType` is AT_TIMESTAMP. */
  timestamp: number
  /** "" only in a source that has not passed the rules. */
  authentication: (typeof kinesisAuthentications)[number] | ''
  iamRole: string
}

export interface PostgresSource {
  type: (typeof postgresTypes)[number]
  host: string
  port: number
  database: string
  authentication: (typeof postgresAuthentications)[number]
  iamRole: string
  /** The name in the server's certificate; "" = `host`. */
  tlsHost: string
  caCertificate: string
  disableTls: boolean
  skipCertVerification: boolean
  settings: PostgresSettings
  tableMappings: TableMapping[]
}

export interface PostgresSettings {
  replicationMode: (typeof replicationModes)[number]
  syncIntervalSeconds: number
  pullBatchSize: number
  /** "" = the pipe creates one. */
  publicationName: string
  /** "" = the pipe creates one. */
  replicationSlotName: string
  allowNullableColumns: boolean
  initialLoadParallelism: number
  snapshotNumRowsPerPartition: number
  snapshotNumberOfParallelTables: number
  enableFailoverSlots: boolean
  deleteOnMerge: boolean
}

export interface TableMapping {
  sourceSchemaName: string
  sourceTable: string
  targetTable: string
  excludedColumns: string[]
  useCustomSortingKey: boolean
  sortingKeys: string[]
  tableEngine: (typeof mappingEngines)[number]
  /** The column by which the first load is split; "" = split by physical position. */
  partitionKey: string
  partitionByExpr: string
}

export interface PipeDestination {
  database: string
  /** "" for database sources, whose mappings name the tables. */
  table: string
  managedTable: boolean
  tableDefinition: TableDefinition
  columns: { name: string; type: string }[]
}

export interface TableDefinition {
  engine: { type: (typeof destinationEngines)[number]; versionColumnId: string; columnIds: string[] }
  sortingKey: string[]
  partitionBy: string
  primaryKey: string
}

export interface FieldMapping {
  sourceField: string
  destinationField: string
}

export interface PipeScaling {
  replicas: number
  concurrency: number
  replicaCpuMillicores: number
  replicaMemoryGb: number
}

export type PipeSettings = { [K in keyof typeof numberSettings]: number } & {
  [K in keyof typeof flagSettings]: boolean
}

export interface UserPassword {
  username: string
  password: string
}

export interface AccessKey {
  accessKeyId: string
  secretKey: string
}

export type KafkaCredentials =
  | UserPassword
  | AccessKey
  | { connectionString: string }
  | { certificate: string; privateKey: string }

/** Everything of a pipe that must never be shown. An absent member was not given. */
export interface PipeSecrets {
  /** For Kafka or Postgres. */
  credentials?: KafkaCredentials
  schemaRegistryCredentials?: UserPassword
  /** For object storage or Kinesis. */
  accessKey?: AccessKey
  connectionString?: string
  serviceAccountKey?: string
}

export type PipeState = (typeof pipeStates)[number]
export type PipeCommand = (typeof pipeCommands)[number]

export interface PipeStatus {
  state: PipeState
  /** Why the pipe is in this state; "" where the state needs no explanation. */
  reason: string
  /** Milliseconds since 1970. */
  since: number
  observedGeneration: number
}

/** A plan, or everything that is wrong with the request. */
export type Planned<T> = { ok: true; plan: T } | { ok: false; issues: Issue[] }
