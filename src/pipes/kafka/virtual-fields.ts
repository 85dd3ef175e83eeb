import type { SourceRecord } from './record-batches.ts'

/** Fields that a record has besides those of its value. */
export const virtualFields = [
  ...(['_key', '_timestamp', '_partition', '_offset', '_topic'] as const),
  ...(['_header_keys', '_header_values', '_raw_message'] as const),
] as const
export type VirtualField = (typeof virtualFields)[number]

/** Those that a pipe's mappings name, in a fixed order. */
export const virtualFieldsOf = (fields: readonly string[]): VirtualField[] =>
  virtualFields.filter((name) => fields.includes(name))

/** Where a record comes from. */
export interface Place {
  topic: string
  partition: number
}

/** A virtual field's value: text and bytes as bytes, null where the record has none. */
export type VirtualValue = number | Buffer | null | Buffer[]

export function virtualValue(name: VirtualField, record: SourceRecord, place: Place): VirtualValue {
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
