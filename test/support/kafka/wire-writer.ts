/** Writes the fields of a Kafka answer in order; the counterpart of WireReader. */
export interface WireWriter {
  int8(value: number): WireWriter
  int16(value: number): WireWriter
  int32(value: number): WireWriter
  int64(value: number): WireWriter
  boolean(value: boolean): WireWriter
  string(value: string | null): WireWriter
  uuid(hex: string): WireWriter
  bytes(parts: readonly Buffer[] | null): WireWriter
  /** An array of structures. */
  array<T>(items: readonly T[] | null, write: (item: T) => void): WireWriter
  /** An array of plain values. */
  list<T>(items: readonly T[], write: (item: T) => void): WireWriter
  /** Writes an empty set of tagged fields. */
  tags(): WireWriter
  /** Everything written; large parts are not copied. */
  finish(): Buffer[]
}

export function createWireWriter(isFlexible: boolean): WireWriter {
  const done: Buffer[] = []
  let room = Buffer.allocUnsafe(roomBytes)
  let from = 0
  let at = 0

  const close = (): void => {
    if (at > from) done.push(room.subarray(from, at))
    from = at
  }
  const take = (size: number): number => {
    if (at + size > room.length) {
      close()
      room = Buffer.allocUnsafe(Math.max(roomBytes, size))
      from = 0
      at = 0
    }
    at += size
    return at - size
  }
  const raw = (bytes: Buffer): void => {
    if (bytes.length < copiedBytes) {
      const place = take(bytes.length)
      bytes.copy(room, place)
      return
    }
    close()
    done.push(bytes)
  }
  const uvarint = (value: number): void => {
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
      const place = take(1)
      room[place] = (rest % 0x80) | 0x80
    }
    const place = take(1)
    room[place] = rest
  }
  const count = (size: number): void => {
    if (isFlexible) uvarint(size + 1)
    else writer.int32(size)
  }

  const writer: WireWriter = {
    int8(value) {
      const place = take(1)
      room.writeInt8(value, place)
      return writer
    },
    int16(value) {
      const place = take(2)
      room.writeInt16BE(value, place)
      return writer
    },
    int32(value) {
      const place = take(4)
      room.writeInt32BE(value, place)
      return writer
    },
    int64(value) {
      const place = take(8)
      room.writeBigInt64BE(BigInt(value), place)
      return writer
    },
    boolean: (value) => writer.int8(value ? 1 : 0),
    string(value) {
      const bytes = Buffer.from(value ?? '')
      const size = value === null ? -1 : bytes.length
      if (isFlexible) uvarint(size + 1)
      else writer.int16(size)
      raw(bytes)
      return writer
    },
    uuid(hex) {
      raw(Buffer.from(hex, 'hex'))
      return writer
    },
    bytes(parts) {
      count(parts === null ? -1 : parts.reduce((sum, { length }) => sum + length, 0))
      for (const part of parts ?? []) raw(part)
      return writer
    },
    array(items, write) {
      count(items === null ? -1 : items.length)
      for (const item of items ?? []) {
        write(item)
        writer.tags()
      }
      return writer
    },
    list(items, write) {
      count(items.length)
      for (const item of items) write(item)
      return writer
    },
    tags() {
      if (isFlexible) uvarint(0)
      return writer
    },
    finish() {
      close()
      return done
    },
  }
  return writer
}

const roomBytes = 1024
const copiedBytes = 256
