import type {
  AccessKey,
  FieldMapping,
  KafkaSource,
  KinesisSource,
  ObjectStorageSource,
  PipeDestination,
  PipeScaling,
  PipeSettings,
  PostgresSettings,
  PostgresSource,
  TableDefinition,
  TableMapping,
  UserPassword,
} from './types.ts'

/**
 * The body of a request, after its shape was checked. Nearly everything is optional: absent fields are inferred
 * or filled with their defaults, and the rules report what is still missing.
 */
export interface PipeCreateInput {
  name: string
  source: SourceInput
  destination: DestinationInput
  fieldMappings?: FieldMapping[]
  scaling?: ScalingInput
  settings?: Partial<PipeSettings>
}

/** A source, and where its records would go. */
export type DiscoveryInput = Pick<PipeCreateInput, 'source' | 'fieldMappings'> & {
  destination?: DestinationInput
}

export interface PipePatchInput {
  name?: string
  source?: SourcePatchInput
  destination?: DestinationInput
  fieldMappings?: FieldMapping[]
  scaling?: ScalingInput
  settings?: SettingsInput
}

export type ScalingInput = Partial<PipeScaling>

/** null = reset to the default. */
export type SettingsInput = { [K in keyof PipeSettings]?: PipeSettings[K] | null }

export interface SourceInput {
  kafka?: KafkaInput
  objectStorage?: ObjectStorageInput
  kinesis?: KinesisInput
  postgres?: PostgresInput
  validateSamples?: boolean
}

export interface SourcePatchInput extends Omit<SourceInput, 'postgres'> {
  postgres?: PostgresPatchInput
}

export interface KafkaInput extends Partial<Omit<KafkaSource, 'offset' | 'schemaRegistry'>> {
  offset?: Partial<KafkaSource['offset']>
  schemaRegistry?: Partial<KafkaSource['schemaRegistry']> & { credentials?: Partial<UserPassword> }
  credentials?: CredentialsInput
}

/** The fields of all four forms of Kafka credentials; the rules check that exactly one form is complete. */
export interface CredentialsInput extends Partial<UserPassword>, Partial<AccessKey> {
  connectionString?: string
  certificate?: string
  privateKey?: string
}

export interface ObjectStorageInput extends Partial<Omit<ObjectStorageSource, 'compression'>> {
  compression?: ObjectStorageSource['compression'] | ''
  accessKey?: Partial<AccessKey>
  serviceAccountKey?: string
}

export interface KinesisInput extends Partial<KinesisSource> {
  accessKey?: Partial<AccessKey>
}

export interface PostgresInput extends Partial<Omit<PostgresSource, 'settings' | 'tableMappings'>> {
  credentials?: Partial<UserPassword>
  settings?: Partial<PostgresSettings>
  tableMappings?: Partial<TableMapping>[]
}

export interface PostgresPatchInput extends PostgresInput {
  tableMappingsToAdd?: Partial<TableMapping>[]
  /** Matched by source schema, source table and target table; other fields of the mapping are not compared. */
  tableMappingsToRemove?: Partial<TableMapping>[]
}

export interface DestinationInput extends Partial<Omit<PipeDestination, 'tableDefinition'>> {
  tableDefinition?: Partial<Omit<TableDefinition, 'engine'>> & { engine?: Partial<TableDefinition['engine']> }
  roles?: string[]
}
