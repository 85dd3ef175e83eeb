import type { VirtualValue } from '../virtual-fields.ts'

export function encodeVarint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  bytes.push(rest)
  return Buffer.from(bytes)
}

/** A field of a message; a message goes on with whatever fields follow it. */
export function encodeField(number: number, value: VirtualValue): Buffer {
  if (value === null) return Buffer.alloc(0)
  if (Array.isArray(value)) return Buffer.concat(value.map((item) => encodeField(number, item)))
  if (typeof value === 'number') {
    // Times before 1970 are negative, and negative numbers have ten bytes.
    const digits = value < 0 ? encodeNegative(value) : encodeVarint(value)
    return Buffer.concat([encodeVarint(number * 8), digits])
  }
  return Buffer.concat([encodeVarint(number * 8 + 2), encodeVarint(value.length), value])
}

function encodeNegative(value: number): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  bytes.push(Number(rest))
  return Buffer.from(bytes)
}
