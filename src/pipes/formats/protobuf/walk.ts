import type { FieldType, MessageType, Scalar } from './layout.ts'

const [varintWire, eightWire, sizedWire, fourWire] = [0, 1, 2, 5]

const wireOf: Record<Scalar, number> = {
  ...{ double: eightWire, float: fourWire, int32: varintWire, int64: varintWire, uint32: varintWire },
  ...{ uint64: varintWire, sint32: varintWire, sint64: varintWire, fixed32: fourWire, fixed64: eightWire },
  ...{ sfixed32: fourWire, sfixed64: eightWire, bool: varintWire, string: sizedWire, bytes: sizedWire },
}
const maxDepth = 100

/**
 * Throws unless the bytes are a message of the type. The engine trusts the lengths within a message, and would read
 * on in the next record.
 */
export function walkMessage(
  bytes: Buffer,
  type: MessageType,
  start = 0,
  end = bytes.length,
  depth = 0,
): void {
  if (depth > maxDepth) throw new RangeError('the message is nested too deeply')
  for (let at = start; at < end; ) {
    const tag = readVarint(bytes, at, end)
    at = varintEnd
    const [number, wire] = [Math.floor(tag / 8), tag % 8]
    const from = wire === sizedWire ? sizedStart(bytes, at, end) : at
    at = valueEnd(bytes, at, end, wire)
    const field = type.fields.get(number)
    if (field !== undefined) walkField(bytes, field, wire, from, at, depth)
  }
}

function walkField(
  bytes: Buffer,
  { name, label, type }: FieldType,
  wire: number,
  start: number,
  end: number,
  depth: number,
): void {
  if (typeof type !== 'string' && type.kind === 'message') {
    if (wire !== sizedWire) throw new RangeError(`the field ${name} is no message`)
    walkMessage(bytes, type, start, end, depth + 1)
    return
  }
  const wanted = typeof type === 'string' ? wireOf[type] : varintWire
  if (wire === wanted) return
  if (label !== 'repeated' || wire !== sizedWire || wanted === sizedWire) {
    throw new RangeError(`the field ${name} has another type`)
  }
  // Numbers packed into one value must end where it ends.
  for (let at = start; at < end; ) at = valueEnd(bytes, at, end, wanted)
}

function sizedStart(bytes: Buffer, at: number, end: number): number {
  readVarint(bytes, at, end)
  return varintEnd
}

function valueEnd(bytes: Buffer, at: number, end: number, wire: number): number {
  let next: number
  if (wire === varintWire) {
    readVarint(bytes, at, end)
    next = varintEnd
  } else if (wire === sizedWire) {
    const size = readVarint(bytes, at, end)
    next = varintEnd + size
  } else if (wire === eightWire) next = at + 8
  else if (wire === fourWire) next = at + 4
  else throw new RangeError('a field has an unknown kind of value')
  if (next > end) throw new RangeError('the message ends too early')
  return next
}

/** Where the number ended that `readVarint` read last. */
let varintEnd = 0
export const endOfVarint = (): number => varintEnd

export function readVarint(bytes: Buffer, start: number, end: number): number {
  let at = start
  let value = 0
  for (let factor = 1; ; factor *= 0x80) {
    if (at >= end || at - start >= 10) throw new RangeError('the message ends too early')
    const byte = bytes[at++] as number
    value += (byte & 0x7f) * factor
    if (byte < 0x80) break
  }
  varintEnd = at
  return value
}
