import type { Transform } from 'node:stream'
import { decompressLz4After } from '../clickhouse/lz4-block.ts'
import { DamagedData } from './damaged-data.ts'
import { createPieceTransform, type PieceInput } from './piece-transform.ts'

/**
 * The LZ4 frame format: a magic number, flags, then blocks that each start with their size as UInt32LE (highest
 * bit set = the block is stored uncompressed), up to one of size 0. Blocks may refer to the 64 KB before them.
 * Frames may follow each other. Checksums are skipped, not checked.
 */
export function createLz4FrameDecoder(): Transform {
  let frame: Frame | null = null
  let history: Buffer = nothing

  function readBlock(input: PieceInput, { maxBlockBytes, isLinked, checksums }: Frame): Buffer | undefined {
    const head = input.peek(4)
    if (head === undefined) return undefined
    const size = head.readUInt32LE() & 0x7fff_ffff
    const isStored = head.readUInt32LE() > 0x7fff_ffff
    if (size > maxBlockBytes) throw new DamagedData('the LZ4 data has a block that is larger than it may be')
    const end = 4 + size + (size === 0 ? checksums.content : checksums.block)
    const block = input.peek(end)
    if (block === undefined) return undefined
    input.drop(end)
    if (size === 0) {
      frame = null
      return nothing
    }
    const data = block.subarray(4, 4 + size)
    const plain = isStored ? data : decompressLz4After(history, data, maxBlockBytes)
    if (isLinked) {
      history =
        plain.length >= historyBytes
          ? plain.subarray(-historyBytes)
          : Buffer.concat([history, plain]).subarray(-historyBytes)
    }
    return plain
  }

  return createPieceTransform({
    next(input) {
      if (frame !== null) return readBlock(input, frame)
      history = nothing
      frame = readFrameHead(input)
      return frame === null ? undefined : nothing
    },
    last(input) {
      if (frame !== null || input.rest().length > 0) throw new DamagedData('the LZ4 data ends in the middle')
      return undefined
    },
  })
}

interface Frame {
  maxBlockBytes: number
  isLinked: boolean
  /** Sizes of the checksums; 0 = there is none. */
  checksums: { block: number; content: number }
}

function readFrameHead(input: PieceInput): Frame | null {
  const head = input.peek(6)
  if (head === undefined) return null
  if (head.readUInt32LE() !== magic) throw new DamagedData('the data is not in the LZ4 frame format')
  const flags = head.readUInt8(4)
  const size = 4 + ((head.readUInt8(5) >>> 4) & 7) * 2
  if (flags >>> 6 !== 1 || (flags & 1) !== 0 || size < 12) {
    throw new DamagedData(
      'the LZ4 data has a version, a size of blocks or a dictionary that is not supported',
    )
  }
  const headBytes = 7 + ((flags & 8) !== 0 ? 8 : 0)
  if (input.peek(headBytes) === undefined) return null
  input.drop(headBytes)
  return {
    // 64 KB, 256 KB, 1 MB or 4 MB.
    maxBlockBytes: 2 ** (4 + size),
    isLinked: (flags & 0x20) === 0,
    checksums: { block: (flags & 0x10) === 0 ? 0 : 4, content: (flags & 4) === 0 ? 0 : 4 },
  }
}

const magic = 0x184d_2204
const historyBytes = 64 * 1024
const nothing = Buffer.alloc(0)
