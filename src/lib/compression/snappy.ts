import type { Transform } from 'node:stream'
import { DamagedData } from './damaged-data.ts'
import { createPieceTransform } from './piece-transform.ts'

/**
 * Snappy in Hadoop's framing, which ClickHouse calls snappy: each block starts with its decompressed size and
 * consists of pieces that each start with their compressed size, until the block is complete. Sizes are
 * UInt32BE.
 */
export function createSnappyDecoder(): Transform {
  /** Bytes of the current block that are still to come. */
  let missingBytes = 0
  let isInBlock = false
  return createPieceTransform({
    next(input) {
      const head = input.peek(4)
      if (head === undefined) return undefined
      if (!isInBlock) {
        missingBytes = head.readUInt32BE()
        isInBlock = missingBytes > 0
        input.drop(4)
        return nothing
      }
      const pieceBytes = head.readUInt32BE()
      if (pieceBytes > maxPieceBytes) throw new DamagedData('the snappy data has a piece that is too large')
      const piece = input.peek(4 + pieceBytes)
      if (piece === undefined) return undefined
      input.drop(4 + pieceBytes)
      const plain = decompressSnappy(piece.subarray(4), missingBytes)
      missingBytes -= plain.length
      isInBlock = missingBytes > 0
      return plain
    },
    last(input) {
      if (isInBlock || input.rest().length > 0) throw new DamagedData('the snappy data ends in the middle')
      return undefined
    },
  })
}

/** The raw format: the size as a varint, then literals and copies of earlier output. */
function decompressSnappy(input: Buffer, maxBytes: number): Buffer {
  let [size, at] = [0, 0]
  for (let factor = 1; ; factor *= 0x80) {
    const byte = input[at++]
    if (byte === undefined || factor > 2 ** 28) throw damaged()
    size += (byte & 0x7f) * factor
    if (byte < 0x80) break
  }
  // A copy of 64 bytes takes at least 2, so a false size costs no memory.
  if (size > maxBytes || size > input.length * 32) throw damaged()
  const output = Buffer.allocUnsafe(size)
  let out = 0
  while (at < input.length) {
    const tag = input[at++] ?? 0
    const kind = tag & 3
    if (kind === 0) {
      let length = tag >>> 2
      if (length >= 60) {
        const extra = length - 59
        if (at + extra > input.length) throw damaged()
        length = input.readUIntLE(at, extra)
        at += extra
      }
      length++
      if (length > input.length - at || length > size - out) throw damaged()
      input.copy(output, out, at, at + length)
      at += length
      out += length
      continue
    }
    const offsetBytes = kind === 3 ? 4 : kind
    if (at + offsetBytes > input.length) throw damaged()
    const length = kind === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1
    const distance = input.readUIntLE(at, offsetBytes) + (kind === 1 ? (tag >>> 5) << 8 : 0)
    at += offsetBytes
    if (distance === 0 || distance > out || length > size - out) throw damaged()
    // A copy may overlap its own output.
    for (const end = out + length; out < end; out++) output[out] = output[out - distance] ?? 0
  }
  if (out !== size) throw damaged()
  return output
}

const maxPieceBytes = 64 * 1024 * 1024
const nothing = Buffer.alloc(0)

const damaged = (): DamagedData => new DamagedData('the snappy data is damaged')
