import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { compressionsAlgorithmsByBitmask, crc32c, Reader } from '@platformatic/kafka'
import type { FetchedPartition } from './fetch-request.ts'

/**
 * Record batches of format v2: a head of 61 bytes (base offset, size, leader epoch, magic, CRC-32C of everything
 * after it, attributes, last offset delta, first and highest timestamp, producer, count), then the records, with
 * all numbers as zigzag varints and optionally compressed as a whole.
 */
export interface SourceRecord {
  offset: number
  /** Milliseconds since 1970. */
  timestamp: number
  key: Buffer | null
  /** Null is a tombstone. */
  value: Buffer | null
  headers: readonly { name: Buffer; value: Buffer | null }[]
}

export interface ReadBatch {
  /** The offset after the batch's last one, which compaction may have removed. */
  end: number
  /** As fetched, before decompression. */
  bytes: number
  records: SourceRecord[]
  /** Set when the records could not be read; `isDamaged` = a second fetch may succeed. */
  failure?: { code: 'decompress' | 'unreadable'; reason: string; raw: Buffer; isDamaged: boolean }
}

const headBytes = 61
/** A batch that expands beyond this is not decompressed: no producer makes such batches by accident. */
const maxPlainBytes = 512 * 1024 * 1024

/**
 * The batches from `from` on, without markers and records of aborted transactions, one at a time.
 * A batch that the end of the answer cut off is left out.
 */
export function* readBatches(
  bytes: Buffer,
  aborted: FetchedPartition['aborted'],
  from: number,
): Generator<ReadBatch> {
  const isAborted = createAbortedFilter(aborted)
  for (let at = 0; at + headBytes <= bytes.length; ) {
    const size = 12 + bytes.readInt32BE(at + 8)
    if (at + size > bytes.length) return
    const batch = bytes.subarray(at, at + size)
    at += size
    const end = endOf(batch)
    const isHidden = isAborted(batch)
    if (end <= from) continue
    yield isHidden ? { end, bytes: size, records: [] } : readBatch(batch, end, from)
  }
}

function endOf(batch: Buffer): number {
  const baseOffset = Number(batch.readBigInt64BE(0))
  // Formats before v2 have other fields here; their single message is named by its offset.
  return baseOffset + (batch.readInt8(16) === 2 ? batch.readInt32BE(23) : 0) + 1
}

function readBatch(batch: Buffer, end: number, from: number): ReadBatch {
  const bytes = batch.length
  const failed = (code: 'decompress' | 'unreadable', reason: string, isDamaged: boolean): ReadBatch => ({
    ...{ end, bytes, records: [], failure: { code, reason, raw: batch, isDamaged } },
  })
  if (batch.readInt8(16) !== 2) return failed('unreadable', 'the message format is older than v2', false)
  // The client's function copies plain bytes, but not those of a reader.
  if (crc32c(Reader.from(batch.subarray(21)).buffer) !== batch.readUInt32BE(17)) {
    return failed('unreadable', 'the checksum of the batch is wrong', true)
  }
  let plain: Buffer
  try {
    plain = decompress(batch.readInt16BE(21) & 7, batch.subarray(headBytes))
  } catch (error) {
    return failed('decompress', `the batch cannot be decompressed: ${(error as Error).message}`, false)
  }
  try {
    return { end, bytes, records: readRecords(batch, plain, from) }
  } catch {
    return failed('unreadable', 'the records of the batch end too early', false)
  }
}

function decompress(codec: number, bytes: Buffer): Buffer {
  if (codec === 0) return bytes
  if (codec === 1) return gunzipSync(bytes, { maxOutputLength: maxPlainBytes })
  if (codec === 4) return zstdDecompressSync(bytes, { maxOutputLength: maxPlainBytes })
  const algorithm = compressionsAlgorithmsByBitmask[codec]
  if (algorithm === undefined) throw new Error(`its codec ${codec} is unknown`)
  return Buffer.from(algorithm.decompressSync(bytes) as Uint8Array)
}

function readRecords(batch: Buffer, plain: Buffer, from: number): SourceRecord[] {
  const baseOffset = Number(batch.readBigInt64BE(0))
  const firstTimestamp = Number(batch.readBigInt64BE(27))
  // With bit 3 the broker set the time when it appended the batch, the same for all records.
  const appendTime = (batch.readInt16BE(21) & 8) === 0 ? undefined : Number(batch.readBigInt64BE(35))
  const count = batch.readInt32BE(57)
  const records: SourceRecord[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 0x80) {
      if (at >= plain.length) throw new RangeError('the records end too early')
      const byte = plain[at++] as number
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
    }
  }
  const field = (): Buffer | null => {
    const size = varint()
    if (size < 0) return null
    if (at + size > plain.length) throw new RangeError('the records end too early')
    at += size
    return plain.subarray(at - size, at)
  }
  for (let index = 0; index < count; index++) {
    const size = varint()
    const next = at + size
    at++
    const timestamp = appendTime ?? firstTimestamp + varint()
    if (appendTime !== undefined) varint()
    const offset = baseOffset + varint()
    if (offset >= from) {
      const key = field()
      const value = field()
      const headers = []
      for (let left = varint(); left > 0; left--) headers.push({ name: field() ?? none, value: field() })
      records.push({ offset, timestamp, key, value, headers })
    }
    at = next
  }
  return records
}

const none = Buffer.alloc(0)
const isTransactional = 16
const isControl = 32

/** Tells which batches hold markers or aborted records. It must see the batches in their order. */
function createAbortedFilter(aborted: FetchedPartition['aborted']): (batch: Buffer) => boolean {
  const waiting = [...aborted].sort((one, other) => one.firstOffset - other.firstOffset)
  const active = new Set<bigint>()
  return (batch) => {
    if (batch.readInt8(16) !== 2) return false
    const attributes = batch.readInt16BE(21)
    if ((attributes & (isTransactional | isControl)) === 0) return false
    const producerId = batch.readBigInt64BE(43)
    const end = endOf(batch)
    while (waiting[0] !== undefined && waiting[0].firstOffset < end) {
      active.add((waiting.shift() as { producerId: bigint }).producerId)
    }
    // A marker, of a commit or an abort, ends the producer's transaction.
    if ((attributes & isControl) !== 0) active.delete(producerId)
    return (attributes & isControl) !== 0 || active.has(producerId)
  }
}
