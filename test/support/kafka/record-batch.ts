import { crc32c } from './crc32c.ts'
import { compressRecords, decompressRecords, type RecordCodec, recordCodecs } from './record-codecs.ts'

/**
 * Record batches of format v2: a head of 61 bytes (base offset, size, leader epoch, magic, CRC-32C of everything
 * after it, attributes, last offset delta, first and highest timestamp, producer, count), then the records, with
 * all numbers as zigzag varints and optionally compressed as a whole.
 */
export interface KafkaRecord {
  key?: Buffer | string | null
  /** Null is a tombstone. */
  value: Buffer | string | null
  headers?: Record<string, Buffer | string>
  /** Milliseconds; by default the time of the batch. */
  timestamp?: number
}

export interface BatchOptions {
  codec?: RecordCodec
  /** The default timestamp of its records. */
  timestamp?: number
  producer?: { id: number; epoch: number; sequence: number }
  isTransactional?: boolean
  isControl?: boolean
}

export interface BatchHead {
  baseOffset: number
  /** Including the head. */
  bytes: number
  crc: number
  codec: RecordCodec
  isTransactional: boolean
  isControl: boolean
  lastOffsetDelta: number
  firstTimestamp: number
  maxTimestamp: number
  producerId: number
  producerEpoch: number
  sequence: number
  count: number
}

export const batchHeadBytes = 61

export function encodeBatch(records: readonly KafkaRecord[], options: BatchOptions = {}): Buffer {
  const { codec = 'none', producer, isTransactional = false, isControl = false } = options
  const times = records.map(({ timestamp }) => timestamp ?? options.timestamp ?? Date.now())
  const firstTimestamp = times[0] ?? 0
  const plain = encodeRecords(records, times, firstTimestamp)
  const body = compressRecords[codec](plain)
  const batch = Buffer.allocUnsafe(batchHeadBytes + body.length)
  body.copy(batch, batchHeadBytes)
  batch.writeBigInt64BE(0n, 0)
  batch.writeInt32BE(batch.length - 12, 8)
  batch.writeInt32BE(0, 12)
  batch.writeInt8(2, 16)
  batch.writeInt16BE(recordCodecs.indexOf(codec) | (isTransactional ? 16 : 0) | (isControl ? 32 : 0), 21)
  batch.writeInt32BE(records.length - 1, 23)
  batch.writeBigInt64BE(BigInt(firstTimestamp), 27)
  batch.writeBigInt64BE(BigInt(times.reduce((one, other) => Math.max(one, other), firstTimestamp)), 35)
  batch.writeBigInt64BE(BigInt(producer?.id ?? -1), 43)
  batch.writeInt16BE(producer?.epoch ?? -1, 51)
  batch.writeInt32BE(producer?.sequence ?? -1, 53)
  batch.writeInt32BE(records.length, 57)
  batch.writeUInt32BE(crc32c(batch, 21), 17)
  return batch
}

/** The head of the batch at `at`; undefined when the bytes do not hold a whole batch. */
export function readBatchHead(
  bytes: Buffer,
  at = 0,
  followingBytes = bytes.length - at,
): BatchHead | undefined {
  if (bytes.length < at + batchHeadBytes) return undefined
  const size = 12 + bytes.readInt32BE(at + 8)
  if (size < batchHeadBytes || size > followingBytes || bytes.readInt8(at + 16) !== 2) return undefined
  const attributes = bytes.readInt16BE(at + 21)
  return {
    baseOffset: Number(bytes.readBigInt64BE(at)),
    bytes: size,
    crc: bytes.readUInt32BE(at + 17),
    codec: recordCodecs[attributes & 7] ?? 'none',
    isTransactional: (attributes & 16) !== 0,
    isControl: (attributes & 32) !== 0,
    lastOffsetDelta: bytes.readInt32BE(at + 23),
    firstTimestamp: Number(bytes.readBigInt64BE(at + 27)),
    maxTimestamp: Number(bytes.readBigInt64BE(at + 35)),
    producerId: Number(bytes.readBigInt64BE(at + 43)),
    producerEpoch: bytes.readInt16BE(at + 51),
    sequence: bytes.readInt32BE(at + 53),
    count: bytes.readInt32BE(at + 57),
  }
}

/** The offset and timestamp of each record, in offset order. */
export async function readTimestamps(batch: Buffer): Promise<{ offset: number; timestamp: number }[]> {
  const head = readBatchHead(batch)
  if (head === undefined) return []
  const body = await decompressRecords[head.codec](batch.subarray(batchHeadBytes, head.bytes))
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 0x80) {
      const byte = body.readUInt8(at++)
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
    }
  }
  return Array.from({ length: head.count }, () => {
    const size = varint()
    const end = at + size
    at++
    const timestamp = head.firstTimestamp + varint()
    const offset = head.baseOffset + varint()
    at = end
    return { offset, timestamp }
  })
}

/** The marker that ends a transaction in one partition. */
export const encodeEndMarker = (producer: { id: number; epoch: number }, isCommitted: boolean): Buffer =>
  encodeBatch([{ key: Buffer.from([0, 0, 0, isCommitted ? 1 : 0]), value: Buffer.alloc(6) }], {
    ...{ producer: { ...producer, sequence: -1 }, isTransactional: true, isControl: true },
  })

/** True for a commit marker, false for an abort marker. */
export const isCommitMarker = (batch: Buffer): boolean => {
  // Size, attributes, two deltas and the size of the key are a byte each; the key is version and type.
  return batch.readInt16BE(batchHeadBytes + 7) === 1
}

function encodeRecords(records: readonly KafkaRecord[], times: readonly number[], first: number): Buffer {
  let output = Buffer.allocUnsafe(64 * 1024)
  let at = 0
  const varint = (value: number): void => {
    let rest = value < 0 ? -2 * value - 1 : 2 * value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) output[at++] = (rest % 0x80) | 0x80
    output[at++] = rest
  }
  const field = (bytes: Buffer | null): void => {
    varint(bytes === null ? -1 : bytes.length)
    if (bytes === null) return
    bytes.copy(output, at)
    at += bytes.length
  }
  records.forEach((record, index) => {
    const key = toBuffer(record.key ?? null)
    const value = toBuffer(record.value)
    const headers = Object.entries(record.headers ?? {}).map(
      ([name, content]) => [Buffer.from(name), toBuffer(content)] as const,
    )
    const delta = (times[index] ?? first) - first
    const size =
      1 +
      varintBytes(delta) +
      varintBytes(index) +
      fieldBytes(key) +
      fieldBytes(value) +
      varintBytes(headers.length) +
      headers.reduce((sum, [name, content]) => sum + fieldBytes(name) + fieldBytes(content), 0)
    if (at + size + 10 > output.length) {
      const larger = Buffer.allocUnsafe(2 * (at + size + 10))
      output.copy(larger, 0, 0, at)
      output = larger
    }
    varint(size)
    output[at++] = 0
    varint(delta)
    varint(index)
    field(key)
    field(value)
    varint(headers.length)
    for (const [name, content] of headers) {
      field(name)
      field(content)
    }
  })
  return output.subarray(0, at)
}

const toBuffer = (value: Buffer | string | null): Buffer | null =>
  typeof value === 'string' ? Buffer.from(value) : value

const fieldBytes = (bytes: Buffer | null): number =>
  varintBytes(bytes === null ? -1 : bytes.length) + (bytes?.length ?? 0)

function varintBytes(value: number): number {
  let size = 1
  for (let rest = value < 0 ? -2 * value - 1 : 2 * value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++
  return size
}
