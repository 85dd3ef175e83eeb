import { Alert, AlertBody, AlertHistoryEntry, AlertReplaceBody } from '../alert.ts'
import { Backup, BackupConfiguration, BackupConfigurationBody } from '../backup.ts'
import { BackupBucket, BackupBucketBody, BackupBucketPatchBody } from '../backup-bucket.ts'
import {
  Dashboard,
  DashboardBody,
  DashboardCheck,
  DashboardContent,
  DashboardReplaceBody,
  DashboardVersion,
  DashboardVersionEntry,
  ImportBody,
  ImportResult,
} from '../dashboard.ts'
import { Key, KeyCreateBody, KeyPatchBody, KeyWithSecret } from '../key.ts'
import { NamedQuery, NamedQueryBody } from '../named-query.ts'
import { Activity, Organization, OrganizationPatchBody, Quota } from '../organization.ts'
import {
  Pipe,
  PipeCreateBody,
  PipePatchBody,
  PipeScalingBody,
  PipeSettings,
  PipeSettingsBody,
  PipeStateBody,
} from '../pipe.ts'
import { FieldMappings, PipeDestination, PipeDestinationBody } from '../pipe-destination.ts'
import { Postgres, PostgresBody, PostgresPatchBody } from '../pipe-postgres.ts'
import { PipeSource, PipeSourceBody, PipeSourcePatchBody } from '../pipe-source.ts'
import type { TSchema } from '../schema.ts'
import {
  IpAccessList,
  PasswordBody,
  PasswordResult,
  ReplicaScalingBody,
  Service,
  ServiceCreateBody,
  ServicePatchBody,
  ServiceStateBody,
  ServiceWithPassword,
  TotalScalingBody,
} from '../service.ts'
import {
  ServiceUser,
  ServiceUserCreateBody,
  ServiceUserPatchBody,
  ServiceUserWithPassword,
} from '../service-user.ts'
import { Identity, Session, SignInBody } from '../session.ts'
import { Source, SourceBody, SourceReplaceBody } from '../source.ts'
import type { JsonSchema } from './types.ts'

const tile = Dashboard.properties.tiles.items
const tileBody = DashboardBody.properties.tiles.items

/** The schemas that the documents show under a name. All other schemas are inlined where they are used. */
export const namedSchemas: Record<string, TSchema> = {
  Activity,
  Alert,
  AlertBody,
  AlertHistoryEntry,
  AlertReplaceBody,
  Backup,
  BackupBucket,
  BackupBucketBody,
  BackupBucketPatchBody,
  BackupConfiguration,
  BackupConfigurationBody,
  Dashboard,
  DashboardBody,
  DashboardCheck,
  DashboardContent,
  DashboardReplaceBody,
  DashboardVariable: Dashboard.properties.variables.items,
  DashboardVersion,
  DashboardVersionEntry,
  FieldMappings,
  ImportBody,
  ImportResult,
  Identity,
  IpAccessEntry: Service.properties.ipAccessList.items,
  IpAccessList,
  KafkaSource: PipeSource.properties.kafka,
  KafkaSourceBody: PipeSourceBody.properties.kafka,
  KafkaSourcePatchBody: PipeSourcePatchBody.properties.kafka,
  Key,
  KeyCreateBody,
  KeyGrant: KeyCreateBody.properties.serviceGrants.items,
  KeyPatchBody,
  KeyWithSecret,
  KinesisSource: PipeSource.properties.kinesis,
  KinesisSourceBody: PipeSourceBody.properties.kinesis,
  KinesisSourcePatchBody: PipeSourcePatchBody.properties.kinesis,
  NumberFormat: tile.properties.series.items.properties.numberFormat,
  ObjectStorageSource: PipeSource.properties.objectStorage,
  ObjectStorageSourceBody: PipeSourceBody.properties.objectStorage,
  NamedQuery,
  NamedQueryBody,
  Organization,
  OrganizationPatchBody,
  PasswordBody,
  PasswordResult,
  Pipe,
  PipeCreateBody,
  PipeDestination,
  PipeDestinationBody,
  PipePatchBody,
  PipeScaling: Pipe.properties.scaling,
  PipeScalingBody,
  PipeSettings,
  PipeSettingsBody,
  PipeSource,
  PipeSourceBody,
  PipeSourcePatchBody,
  PipeStateBody,
  PostgresSource: Postgres,
  PostgresSourceBody: PostgresBody,
  PostgresSourcePatchBody: PostgresPatchBody,
  PostgresTableMapping: Postgres.properties.tableMappings.items,
  PostgresTableMappingBody: PostgresBody.properties.tableMappings.items,
  Quota,
  ReplicaScalingBody,
  Series: tile.properties.series.items,
  SeriesBody: tileBody.properties.series.items,
  Service,
  ServiceCreateBody,
  ServicePatchBody,
  ServiceStateBody,
  ServiceTagBody: ServiceCreateBody.properties.tags.items,
  ServiceUser,
  ServiceUserCreateBody,
  ServiceUserPatchBody,
  ServiceUserWithPassword,
  ServiceWithPassword,
  Session,
  SignInBody,
  Source,
  SourceBody,
  SourceReplaceBody,
  Tile: tile,
  TileBody: tileBody,
  TileReplaceBody: DashboardReplaceBody.properties.tiles.items,
  TotalScalingBody,
}

export interface SchemaCollector {
  /** The schema as the documents show it: a reference where it has a name. */
  convert(schema: TSchema): JsonSchema
  /** Every named schema that was referred to so far, by name. */
  components(): Record<string, JsonSchema>
}

export function createSchemaCollector(): SchemaCollector {
  const found = new Map<string, JsonSchema>()

  function walk(schema: JsonSchema): JsonSchema {
    const name = names.get(JSON.stringify(schema))
    if (name === undefined) return walkParts(schema)
    if (!found.has(name)) {
      // Entered before its parts are converted, so that a schema may contain itself.
      found.set(name, {})
      found.set(name, walkParts(schema))
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  function walkParts({ required, properties, items, anyOf, additionalProperties, ...rest }: JsonSchema) {
    const schema: JsonSchema = rest
    if (required) schema.required = required
    if (properties) {
      schema.properties = Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [key, walk(value)]),
      )
    }
    if (items) schema.items = walk(items)
    if (anyOf) schema.anyOf = anyOf.map(walk)
    if (additionalProperties !== undefined) schema.additionalProperties = additionalProperties
    return schema
  }

  return {
    convert: (schema) => walk(plain(schema)),
    components: () => Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/**
 * Keyed by content, not by object: making a field optional copies its schema, and the copy must keep the name.
 * Two names for one content would make the choice between them arbitrary, so that is refused.
 */
const names = new Map<string, string>()
for (const [name, schema] of Object.entries(namedSchemas)) {
  const content = JSON.stringify(schema)
  const other = names.get(content)
  if (other !== undefined) throw new Error(`the schemas ${other} and ${name} are the same`)
  names.set(content, name)
}

/** Without TypeBox's own metadata. */
const plain = (schema: TSchema) => JSON.parse(JSON.stringify(schema)) as JsonSchema
