import type { KafkaSource } from '../../domain/pipe/types.ts'
import type { Clock } from '../../lib/clock.ts'
import type { SourcePipe } from '../source.ts'
import { createAvroFormat, createAvroSchemas } from './avro-format.ts'
import { createJsonFormat } from './json-format.ts'
import { createProtobufFormat, createProtobufSchemas } from './protobuf-format.ts'
import type { RecordFormat } from './record-format.ts'
import { createSchemaRegistry, type SchemaRegistry } from './schema-registry.ts'
import type { Place } from './virtual-fields.ts'

export interface Formats {
  formatOf(place: Place): RecordFormat
  /** Shared by all lanes; undefined where the pipe has none. */
  registry: SchemaRegistry | undefined
}

export function createFormats(pipe: SourcePipe, kafka: KafkaSource, clock: Clock): Formats {
  const { format, schemaRegistry } = kafka
  if (format === 'JSONEachRow') {
    return { formatOf: (place) => createJsonFormat(pipe, place), registry: undefined }
  }
  const registry =
    schemaRegistry.url === ''
      ? undefined
      : createSchemaRegistry(schemaRegistry, pipe.secrets.schemaRegistryCredentials, clock)
  if (format === 'Protobuf') {
    const schemas = createProtobufSchemas(registry)
    return { formatOf: (place) => createProtobufFormat(pipe, place, schemas), registry }
  }
  const schemas = createAvroSchemas(registry)
  return { formatOf: (place) => createAvroFormat(pipe, place, schemas), registry }
}
