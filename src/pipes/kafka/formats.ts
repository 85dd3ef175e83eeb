import type { KafkaSource } from '../../domain/pipe/types.ts'
import type { Clock } from '../../lib/clock.ts'
import { createAvroFormat, createAvroSchemas } from '../formats/avro-format.ts'
import { createJsonFormat } from '../formats/json-format.ts'
import { createProtobufFormat, createProtobufSchemas } from '../formats/protobuf-format.ts'
import type { RecordFormat } from '../formats/record-format.ts'
import { createSchemaRegistry, type SchemaRegistry } from '../formats/schema-registry.ts'
import type { SourcePipe } from '../source.ts'
import type { SourceRecord } from './record-batches.ts'
import { kafkaLane, type Place } from './virtual-fields.ts'

export interface Formats {
  formatOf(place: Place): RecordFormat<SourceRecord>
  /** Shared by all lanes; undefined where the pipe has none. */
  registry: SchemaRegistry | undefined
}

export function createFormats(pipe: SourcePipe, kafka: KafkaSource, clock: Clock): Formats {
  const { format, schemaRegistry } = kafka
  if (format === 'JSONEachRow') {
    return { formatOf: (place) => createJsonFormat(kafkaLane(pipe, place)), registry: undefined }
  }
  const registry =
    schemaRegistry.url === ''
      ? undefined
      : createSchemaRegistry(schemaRegistry, pipe.secrets.schemaRegistryCredentials, clock)
  if (format === 'Protobuf') {
    const schemas = createProtobufSchemas(registry)
    return { formatOf: (place) => createProtobufFormat(kafkaLane(pipe, place), schemas), registry }
  }
  const schemas = createAvroSchemas(registry)
  return { formatOf: (place) => createAvroFormat(kafkaLane(pipe, place), schemas), registry }
}
