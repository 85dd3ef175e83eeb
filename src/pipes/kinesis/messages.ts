import type { RecordLane } from '../formats/record-format.ts'
import type { VirtualField } from '../formats/virtual-fields.ts'
import type { RejectCode, SourcePipe } from '../source.ts'
import { readAggregated } from './aggregated.ts'
import { decompress } from './decompress.ts'
import type { Shard, StreamRecord } from './stream.ts'

/** One message of a record: the record itself, or a user record in it. */
export interface Message {
  sequenceNumber: string
  /** Its place among the messages of its record; null = it is the record itself. */
  index: number | null
  partitionKey: string
  arrivedMs: number
  /** Decompressed. */
  value: Buffer
  /** Set when it cannot be read; `value` then is what the record has. */
  failure?: { code: RejectCode; reason: string }
}

export function* messagesOf(record: StreamRecord, shard: Shard, maxBytes: number): Generator<Message> {
  const { sequenceNumber, partitionKey, arrivedMs, data } = record
  const read = (bytes: Buffer, key: string, index: number | null): Message => {
    const found = decompress(bytes, maxBytes)
    const message = { sequenceNumber, arrivedMs, index, partitionKey: key }
    if (!('value' in found)) return { ...message, value: bytes, failure: found }
    return { ...message, value: found.value }
  }
  const users = readAggregated(record, shard)
  if (users === null) yield read(data, partitionKey, null)
  else for (const [index, user] of users.entries()) yield read(user.data, user.partitionKey, index)
}

const virtualFields = [
  ...(['_key', '_timestamp', '_stream', '_sequence_number', '_raw_message'] as const),
] satisfies VirtualField[]

/** The messages of a shard, as formats see them. */
export const shardLane = (
  { fields }: Pick<SourcePipe, 'fields'>,
  stream: string,
  shardId: string,
): RecordLane<Message> => ({
  source: `${stream}/${shardId}`,
  virtual: virtualFields.filter((name) => fields.includes(name)),
  positionOf: placeOf,
  valueOf(name, { partitionKey, arrivedMs, sequenceNumber, value }) {
    if (name === '_key') return Buffer.from(partitionKey)
    if (name === '_timestamp') return arrivedMs
    if (name === '_stream') return Buffer.from(stream)
    return name === '_sequence_number' ? Buffer.from(sequenceNumber) : value
  },
})

/** For people. */
export const placeOf = ({ sequenceNumber, index }: Message): string =>
  index === null ? sequenceNumber : `${sequenceNumber}/${index}`
