/**
 * Reads the fields of a Kafka request in order. Flexible versions have lengths as varints (plus one, 0 = null)
 * and tagged fields after each structure; all tagged fields are skipped.
 */
export interface WireReader {
  int8(): number
  int16(): number
  int32(): number
  int64(): number
  boolean(): boolean
  /** Null is read as ''. */
  string(): string
  nullableString(): string | null
  /** 16 bytes as hex. */
  uuid(): string
  /** A view, not a copy. Null is read as empty. */
  bytes(): Buffer
  /** An array of structures. Null is read as empty. */
  array<T>(read: () => T): T[]
  nullableArray<T>(read: () => T): T[] | null
  /** An array of plain values. */
  list<T>(read: () => T): T[]
  tags(): void
}

export function createWireReader(input: Buffer, isFlexible: () => boolean): WireReader {
  let at = 0
  const take = (size: number): number => {
    at += size
    return at - size
  }
  const uvarint = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 0x80) {
      const byte = input.readUInt8(take(1))
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
  }
  const slice = (size: number): Buffer => {
    if (size > input.length - at) throw new RangeError('the request ends in the middle of a field')
    return input.subarray(take(size), at)
  }
  const tags = (): void => {
    if (!isFlexible()) return
    for (let count = uvarint(); count > 0; count--) {
      uvarint()
      slice(uvarint())
    }
  }
  const int16 = (): number => input.readInt16BE(take(2))
  const int32 = (): number => input.readInt32BE(take(4))
  const sizeOf = (plain: () => number): number => (isFlexible() ? uvarint() - 1 : plain())
  const nullableString = (): string | null => {
    const size = sizeOf(int16)
    return size < 0 ? null : slice(size).toString()
  }
  const items = <T>(read: () => T): T[] | null => {
    const count = sizeOf(int32)
    if (count > input.length) throw new RangeError('the request has an array that is longer than itself')
    return count < 0 ? null : Array.from({ length: count }, read)
  }
  const structures = <T>(read: () => T): T[] | null =>
    items(() => {
      const item = read()
      tags()
      return item
    })

  return {
    int8: () => input.readInt8(take(1)),
    int16,
    int32,
    int64: () => Number(input.readBigInt64BE(take(8))),
    boolean: () => input.readInt8(take(1)) !== 0,
    string: () => nullableString() ?? '',
    nullableString,
    uuid: () => slice(16).toString('hex'),
    bytes: () => slice(Math.max(0, sizeOf(int32))),
    array: (read) => structures(read) ?? [],
    nullableArray: structures,
    list: (read) => items(read) ?? [],
    tags,
  }
}
