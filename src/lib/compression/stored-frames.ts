import { Transform } from 'node:stream'
import { crc32 } from 'node:zlib'

/** Encodings that Node has no encoder for. */
export type StoredEncoding = 'lz4' | 'snappy' | 'xz'

/**
 * Wraps bytes in a complete frame of an encoding, stored uncompressed: enough for short texts, and for text
 * appended to a frame that another program has written, since frames of these encodings may follow each other.
 */
export const storedFrame: Record<StoredEncoding, (bytes: Buffer) => Buffer> = {
  lz4: (bytes) => {
    const blocks = slices(bytes, lz4BlockBytes).flatMap((slice) => {
      // The highest bit marks a stored block.
      return [uint32(slice.length + 0x8000_0000, 'little'), slice]
    })
    return Buffer.concat([lz4Head, ...blocks, uint32(0, 'little')])
  },
  snappy: (bytes) =>
    Buffer.concat(
      slices(bytes, snappyBlockBytes).flatMap((slice) => {
        const literal = Buffer.from([0xf8, 0, 0, 0])
        literal.writeUIntLE(slice.length - 1, 1, 3)
        const data = [varint(slice.length), literal, slice]
        return [uint32(slice.length), uint32(data.reduce((sum, { length }) => sum + length, 0)), ...data]
      }),
    ),
  xz: (bytes) => {
    const chunks = slices(bytes, xzChunkBytes).flatMap((slice, index) => {
      // The first chunk resets the dictionary.
      const head = Buffer.from([index === 0 ? 1 : 2, 0, 0])
      head.writeUInt16BE(slice.length - 1, 1)
      return [head, slice]
    })
    const data = Buffer.concat([xzBlockHead, ...chunks, Buffer.of(0)])
    const checksum = uint32(crc32(bytes), 'little')
    const records = [varint(data.length + checksum.length), varint(bytes.length)]
    const index = withChecksum(padded(Buffer.concat([Buffer.of(0, 1), ...records])))
    const footer = Buffer.concat([uint32(index.length / 4 - 1, 'little'), xzFlags])
    return Buffer.concat([
      ...[xzMagic, withChecksum(xzFlags)],
      ...[padded(data), checksum, index],
      ...[uint32(crc32(footer), 'little'), footer, Buffer.from('YZ')],
    ])
  },
}

/** Each chunk becomes a frame of its own. */
export const createStoredEncoder = (encoding: StoredEncoding): Transform =>
  new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, storedFrame[encoding](chunk)),
  })

/** Blocks of at most 256 KB that may refer to each other; the last byte is the checksum of the two before it. */
const lz4Head = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x40, 0x50, 0x77])
const lz4BlockBytes = 256 * 1024
// Hadoop's framing: each block starts with its size, then that of its only piece, big-endian.
const snappyBlockBytes = 256 * 1024
const xzChunkBytes = 64 * 1024
const xzMagic = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0])
/** The check type is CRC32. */
const xzFlags = Buffer.from([0, 1])
/** 12 bytes; one filter, LZMA2 with a dictionary of 4 KB, which stored data never refers to. */
const xzBlockHead = withChecksum(Buffer.from([2, 0, 0x21, 1, 0, 0, 0, 0]))

function slices(bytes: Buffer, size: number): Buffer[] {
  const count = Math.ceil(bytes.length / size)
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return Buffer.from([...bytes, rest])
}

function uint32(value: number, order: 'big' | 'little' = 'big'): Buffer {
  const bytes = Buffer.alloc(4)
  if (order === 'big') bytes.writeUInt32BE(value)
  else bytes.writeUInt32LE(value)
  return bytes
}

function withChecksum(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, uint32(crc32(bytes), 'little')])
}

const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)])
