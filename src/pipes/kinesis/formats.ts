import type { KinesisSource } from '../../domain/pipe/types.ts'
import type { Clock } from '../../lib/clock.ts'
import { createAvroFormat, createAvroSchemas } from '../formats/avro-format.ts'
import { createJsonFormat } from '../formats/json-format.ts'
import type { RecordFormat } from '../formats/record-format.ts'
import { createSchemaRegistry, type SchemaRegistry } from '../formats/schema-registry.ts'
import type { SourcePipe } from '../source.ts'
import { type Message, shardLane } from './messages.ts'

export interface Formats {
  formatOf(shardId: string): RecordFormat<Message>
  /** Shared by all shards; undefined where records name no schemas, or the server knows no registry. */
  registry: SchemaRegistry | undefined
}

/** `registryUrl` holds for all pipes of the server, because sources of Kinesis have no field for it. */
export function createFormats(
  pipe: SourcePipe,
  { format, streamName }: KinesisSource,
  registryUrl: string,
  clock: Clock,
): Formats {
  if (format === 'JSONEachRow') {
    const formatOf = (shardId: string) => createJsonFormat(shardLane(pipe, streamName, shardId))
    return { formatOf, registry: undefined }
  }
  const isFramed = format === 'AvroConfluent' && registryUrl !== ''
  const registry = isFramed
    ? createSchemaRegistry({ url: registryUrl, caCertificate: '' }, undefined, clock)
    : undefined
  const schemas = createAvroSchemas(registry)
  return { formatOf: (shardId) => createAvroFormat(shardLane(pipe, streamName, shardId), schemas), registry }
}
