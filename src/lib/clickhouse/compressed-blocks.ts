import type { Transform } from 'node:stream'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { createPieceTransform } from '../compression/piece-transform.ts'
import { cityHash128 } from './city-hash.ts'
import { compressLz4, decompressLz4, lz4MaxBytes } from './lz4-block.ts'

/**
 * ClickHouse's own compressed format, which its HTTP interface writes for `compress=1` and reads for
 * `decompress=1`: a sequence of blocks of
 *   16 bytes  CityHash128 of the rest of the block, lower half first
 *    1 byte   method
 *    4 bytes  size of the block without the checksum
 *    4 bytes  size of the content, once decompressed
 * and the data. All numbers are little-endian.
 *
 * The decoder takes the bytes of such blocks in chunks of any size and returns their content, one block at a
 * time. It holds one block and its content, not more: a chunk of many blocks waits until the reader asks for
 * the next.
 */
export function createBlockDecoder({ maxBlockBytes = largestBlockBytes } = {}): Transform {
  return createPieceTransform({
    next(input) {
      const header = input.peek(headerEnd)
      if (header === undefined) return undefined
      const method = header.readUInt8(checksumBytes)
      const blockBytes = header.readUInt32LE(checksumBytes + 1)
      const plainBytes = header.readUInt32LE(checksumBytes + 5)
      checkHeader(method, blockBytes, plainBytes, maxBlockBytes)
      const block = input.peek(checksumBytes + blockBytes)
      if (block === undefined) return undefined
      input.drop(block.length)
      checkChecksum(block)
      return decompress(method, block.subarray(headerEnd), plainBytes)
    },
    last(input) {
      if (input.rest().length === 0) return undefined
      throw new CompressedBlockError(codes.CANNOT_READ_ALL_DATA, 'the body ended inside a compressed block')
    },
  })
}

/** Packs its input into blocks of `blockBytes`; the last block holds the remainder. */
export function createBlockEncoder({
  method = 'lz4',
  blockBytes = 1024 * 1024,
}: {
  method?: BlockMethod
  blockBytes?: number
} = {}): Transform {
  if (!Number.isInteger(blockBytes) || blockBytes < 1 || blockBytes > largestBlockBytes / 2) {
    throw new RangeError(`blockBytes must be a whole number from 1 to ${largestBlockBytes / 2}`)
  }
  return createPieceTransform({
    next(input) {
      const plain = input.peek(blockBytes)
      if (plain === undefined) return undefined
      input.drop(blockBytes)
      return encodeBlock(plain, method)
    },
    last(input) {
      const plain = input.rest()
      return plain.length === 0 ? undefined : encodeBlock(plain, method)
    },
  })
}

export type BlockMethod = 'lz4' | 'zstd' | 'none'

/** A fault of a compressed body, with ClickHouse's error code for it. */
export class CompressedBlockError extends Error {
  override name = 'CompressedBlockError'
  readonly code: number

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** ClickHouse's own limit, and the most memory that a block takes here. */
const largestBlockBytes = 0x4000_0000
const checksumBytes = 16
const headerBytes = 9
const headerEnd = checksumBytes + headerBytes
const methodBytes = { none: 0x02, lz4: 0x82, zstd: 0x90 } as const
const multipleCodecs = 0x91
const codes = {
  CANNOT_READ_ALL_DATA: 33,
  CHECKSUM_DOESNT_MATCH: 40,
  UNKNOWN_COMPRESSION_METHOD: 89,
  TOO_LARGE_SIZE_COMPRESSED: 90,
  CORRUPTED_DATA: 246,
  CANNOT_DECOMPRESS: 271,
}

function checkHeader(method: number, blockBytes: number, plainBytes: number, maxBlockBytes: number): void {
  const fail = (code: number, message: string) => {
    throw new CompressedBlockError(code, message)
  }
  if (method === multipleCodecs) {
    fail(codes.UNKNOWN_COMPRESSION_METHOD, 'a compressed block with multiple codecs (0x91) is not supported')
  }
  if (!Object.values<number>(methodBytes).includes(method)) {
    const hex = `0x${method.toString(16).padStart(2, '0')}`
    fail(
      codes.UNKNOWN_COMPRESSION_METHOD,
      `unknown compression method ${hex}: the body may not be in the compressed format of ClickHouse`,
    )
  }
  const largestBytes = Math.max(blockBytes, plainBytes)
  if (largestBytes > maxBlockBytes) {
    const message = `a compressed block is larger than ${maxBlockBytes} bytes: it says ${largestBytes}`
    fail(codes.TOO_LARGE_SIZE_COMPRESSED, message)
  }
  if (blockBytes < headerBytes) {
    fail(
      codes.CORRUPTED_DATA,
      `a compressed block says that it is smaller (${blockBytes} bytes) than its header`,
    )
  }
}

function checkChecksum(block: Buffer): void {
  const { low, high } = cityHash128(block.subarray(checksumBytes))
  const expectedLow = block.readBigUInt64LE(0)
  const expectedHigh = block.readBigUInt64LE(8)
  if (low === expectedLow && high === expectedHigh) return
  const hex = (a: bigint, b: bigint) =>
    `${a.toString(16).padStart(16, '0')}${b.toString(16).padStart(16, '0')}`
  throw new CompressedBlockError(
    codes.CHECKSUM_DOESNT_MATCH,
    `checksum of a compressed block does not match its data: it says ${hex(expectedLow, expectedHigh)}, ` +
      `the data gives ${hex(low, high)}, size of the block: ${block.length - checksumBytes} bytes`,
  )
}

function decompress(method: number, data: Buffer, plainBytes: number): Buffer {
  try {
    if (method === methodBytes.lz4) return decompressLz4(data, plainBytes)
    const plain = method === methodBytes.zstd ? decompressZstd(data, plainBytes) : data
    if (plain.length === plainBytes) return plain
    throw new Error(`a compressed block holds ${plain.length} bytes and says ${plainBytes}`)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new CompressedBlockError(codes.CANNOT_DECOMPRESS, message, { cause: error })
  }
}

function decompressZstd(data: Buffer, plainBytes: number): Buffer {
  try {
    // Output beyond `maxOutputLength` is an error; memory is allocated one chunk at a time.
    const chunkSize = Math.min(Math.max(plainBytes, 64), 1024 * 1024)
    return zstdDecompressSync(data, { maxOutputLength: Math.max(plainBytes, 1), chunkSize })
  } catch (error) {
    throw new Error('the ZSTD data of a compressed block is damaged', { cause: error })
  }
}

function encodeBlock(plain: Buffer, method: BlockMethod): Buffer {
  const block = withHeaderRoom(plain, method)
  block.writeUInt8(methodBytes[method], checksumBytes)
  block.writeUInt32LE(block.length - checksumBytes, checksumBytes + 1)
  block.writeUInt32LE(plain.length, checksumBytes + 5)
  const { low, high } = cityHash128(block.subarray(checksumBytes))
  block.writeBigUInt64LE(low, 0)
  block.writeBigUInt64LE(high, 8)
  return block
}

function withHeaderRoom(plain: Buffer, method: BlockMethod): Buffer {
  if (method === 'lz4') {
    const room = Buffer.allocUnsafe(headerEnd + lz4MaxBytes(plain.length))
    const block = room.subarray(0, compressLz4(plain, room, headerEnd))
    // A block that waits to be sent should not keep the unused part of its buffer alive.
    return block.length > room.length / 2 ? block : Buffer.from(block)
  }
  const data = method === 'zstd' ? zstdCompressSync(plain, zstdOptions) : plain
  const block = Buffer.allocUnsafe(headerEnd + data.length)
  block.set(data, headerEnd)
  return block
}

// ClickHouse's default level for network traffic.
const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
