import type { KinesisSource } from '../../domain/pipe/types.ts'
import { createAvroFormat, createAvroSchemas } from '../formats/avro-format.ts'
import { createJsonFormat } from '../formats/json-format.ts'
import type { RecordFormat } from '../formats/record-format.ts'
import type { SourcePipe } from '../source.ts'
import { type Message, shardLane } from './messages.ts'

/** The format of each shard. */
export function createFormats(
  pipe: SourcePipe,
  { format, streamName }: KinesisSource,
): (shardId: string) => RecordFormat<Message> {
  if (format === 'JSONEachRow') return (shardId) => createJsonFormat(shardLane(pipe, streamName, shardId))
  const schemas = createAvroSchemas(undefined)
  return (shardId) => createAvroFormat(shardLane(pipe, streamName, shardId), schemas)
}
