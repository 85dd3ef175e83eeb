import type { RecordLane } from '../formats/record-format.ts'
import type { VirtualField, VirtualValue } from '../formats/virtual-fields.ts'
import type { SourcePipe } from '../source.ts'
import type { SourceRecord } from './record-batches.ts'

/** Where a record comes from. */
export interface Place {
  topic: string
  partition: number
}

const virtualFields = [
  ...(['_key', '_timestamp', '_partition', '_offset', '_topic'] as const),
  ...(['_header_keys', '_header_values', '_raw_message'] as const),
] satisfies VirtualField[]

export const sourceNameOf = ({ topic, partition }: Place): string => `${topic}/${partition}`

/** The records of a partition, as formats see them. */
export const kafkaLane = (
  { fields }: Pick<SourcePipe, 'fields'>,
  place: Place,
): RecordLane<SourceRecord> => ({
  source: sourceNameOf(place),
  virtual: virtualFields.filter((name) => fields.includes(name)),
  positionOf: ({ offset }) => String(offset),
  valueOf: (name, record) => virtualValue(name as (typeof virtualFields)[number], record, place),
})

function virtualValue(
  name: (typeof virtualFields)[number],
  record: SourceRecord,
  place: Place,
): VirtualValue {
  switch (name) {
    case '_key':
      return record.key
    case '_timestamp':
      return record.timestamp
    case '_partition':
      return place.partition
    case '_offset':
      return record.offset
    case '_topic':
      return Buffer.from(place.topic)
    case '_header_keys':
      return record.headers.map((header) => header.name)
    case '_header_values':
      return record.headers.map((header) => header.value ?? Buffer.alloc(0))
    case '_raw_message':
      return record.value
  }
}
