import type { VirtualField, VirtualValue } from '../virtual-fields.ts'

/** Pieces of Avro's binary encoding, as our own fields and containers need them. */
export function encodeLong(value: number): Buffer {
  const bytes: number[] = []
  let rest = value < 0 ? -2 * value - 1 : 2 * value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  bytes.push(rest)
  return Buffer.from(bytes)
}

export const encodeBytes = (bytes: Buffer): Buffer => Buffer.concat([encodeLong(bytes.length), bytes])

export const virtualTypes: Record<VirtualField, unknown> = {
  _key: ['null', 'bytes'],
  _timestamp: { type: 'long', logicalType: 'timestamp-millis' },
  _partition: 'int',
  _offset: 'long',
  _topic: 'string',
  _stream: 'string',
  _sequence_number: 'string',
  _header_keys: { type: 'array', items: 'bytes' },
  _header_values: { type: 'array', items: 'bytes' },
  _raw_message: 'bytes',
}

export function encodeVirtualValue(name: VirtualField, value: VirtualValue): Buffer {
  if (typeof value === 'number') return encodeLong(value)
  if (name === '_key')
    return value === null ? encodeLong(0) : Buffer.concat([encodeLong(1), encodeBytes(value as Buffer)])
  if (!Array.isArray(value)) return encodeBytes(value ?? Buffer.alloc(0))
  if (value.length === 0) return encodeLong(0)
  return Buffer.concat([encodeLong(value.length), ...value.map(encodeBytes), encodeLong(0)])
}

/** Ends each block. */
export const syncMarker = Buffer.from('granary pipe avr')

/** The head of an object container file. */
export function encodeContainerHead(schema: unknown): Buffer {
  const text = (value: string): Buffer => encodeBytes(Buffer.from(value))
  return Buffer.concat([
    Buffer.from('Obj\x01'),
    ...[encodeLong(2), text('avro.schema'), text(JSON.stringify(schema)), text('avro.codec'), text('null')],
    ...[encodeLong(0), syncMarker],
  ])
}

/** Stands before the datums of a block, with `syncMarker` behind them. */
export const encodeBlockHead = (datums: number, bytes: number): Buffer =>
  Buffer.concat([encodeLong(datums), encodeLong(bytes)])

export function encodeBlock(datums: readonly Uint8Array[]): Buffer {
  const bytes = datums.reduce((sum, { length }) => sum + length, 0)
  return Buffer.concat([encodeBlockHead(datums.length, bytes), ...datums, syncMarker])
}
