import { compressionsAlgorithms } from '@platformatic/kafka'
import { TooLarge } from './too-large.ts'

const compressed = 0x00
const plain = 0x01
/** A chunk holds at most so many bytes. */
const chunkBytes = 65_536

/**
 * Snappy's framing format: chunks of a type, a size of three bytes, and for data a checksum of four bytes, which is not
 * verified. Throws when the bytes are damaged, or `TooLarge`.
 */
export function readSnappyFrame(bytes: Buffer, maxBytes: number): Buffer {
  const parts: Buffer[] = []
  let total = 0
  for (let at = 0; at < bytes.length; ) {
    const type = bytes.readUInt8(at)
    const size = bytes.readUIntLE(at + 1, 3)
    const chunk = bytes.subarray(at + 4, at + 4 + size)
    if (chunk.length < size) throw new RangeError('the chunk is cut off')
    at += 4 + size
    if (type > plain) {
      // Chunks from 0x80 on may be skipped, and the stream may begin anew.
      if (type < 0x80) throw new RangeError('the chunk has an unknown type')
      continue
    }
    const data = chunk.subarray(4)
    const part = type === compressed ? readBlock(data) : data
    total += part.length
    if (total > maxBytes) throw new TooLarge()
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** The block begins with the length that it claims to have, as a varint. */
function readBlock(data: Buffer): Buffer {
  const [a = 0, b = 0, c = 0] = data
  const length =
    a < 0x80
      ? a
      : b < 0x80
        ? (a & 0x7f) | (b << 7)
        : c < 0x80
          ? (a & 0x7f) | ((b & 0x7f) << 7) | (c << 14)
          : -1
  if (length < 0 || length > chunkBytes) throw new RangeError('the chunk is too large')
  return Buffer.from(compressionsAlgorithms.snappy.decompressSync(data))
}
