/** Fields that records of some kind of source have besides those of their values. */
export type VirtualField =
  | ('_key' | '_timestamp' | '_raw_message')
  | ('_partition' | '_offset' | '_topic' | '_header_keys' | '_header_values')
  | ('_stream' | '_sequence_number')

/** A virtual field's value: text and bytes as bytes, null where the record has none. */
export type VirtualValue = number | Buffer | null | Buffer[]
