import type { Transform } from 'node:stream'
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { createLz4FrameDecoder } from '../../../src/lib/compression/lz4-frame.ts'
import { createSnappyDecoder } from '../../../src/lib/compression/snappy.ts'
import { storedFrame } from '../../../src/lib/compression/stored-frames.ts'

/** In the order of their numbers in record batches. */
export const recordCodecs = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const
export type RecordCodec = (typeof recordCodecs)[number]

/** Snappy and LZ4 data is stored, not compressed: valid frames for any decoder. */
export const compressRecords: Record<RecordCodec, (bytes: Buffer) => Buffer> = {
  none: (bytes) => bytes,
  gzip: (bytes) => gzipSync(bytes, { level: 1 }),
  snappy: (bytes) => xerialFrame(storedFrame.snappy(bytes)),
  lz4: (bytes) => storedFrame.lz4(bytes),
  zstd: (bytes) => zstdCompressSync(bytes),
}

export const decompressRecords: Record<RecordCodec, (bytes: Buffer) => Promise<Buffer>> = {
  none: async (bytes) => bytes,
  gzip: async (bytes) => gunzipSync(bytes),
  snappy: (bytes) => through(createSnappyDecoder(), hadoopFrame(bytes)),
  lz4: (bytes) => through(createLz4FrameDecoder(), bytes),
  zstd: async (bytes) => zstdDecompressSync(bytes),
}

async function through(decoder: Transform, bytes: Buffer): Promise<Buffer> {
  decoder.end(bytes)
  return Buffer.concat((await decoder.toArray()) as Buffer[])
}

/** The framing of Java clients: a header, then pieces with their compressed size. */
const xerialHead = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1])

/** Hadoop's framing also has the plain size of each piece; here each block is one piece. */
function xerialFrame(hadoop: Buffer): Buffer {
  const parts: Buffer[] = [xerialHead]
  for (let at = 0; at < hadoop.length; ) {
    const end = at + 8 + hadoop.readUInt32BE(at + 4)
    parts.push(hadoop.subarray(at + 4, end))
    at = end
  }
  return Buffer.concat(parts)
}

/** Clients in C send raw snappy without any framing. */
function hadoopFrame(bytes: Buffer): Buffer {
  if (!bytes.subarray(0, 8).equals(xerialHead.subarray(0, 8))) return hadoopBlock(bytes)
  const blocks: Buffer[] = []
  for (let at = xerialHead.length; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at)
    blocks.push(hadoopBlock(bytes.subarray(at + 4, end)))
    at = end
  }
  return Buffer.concat(blocks)
}

function hadoopBlock(raw: Buffer): Buffer {
  let plainBytes = 0
  // Raw snappy begins with its plain size as a varint.
  for (let at = 0, factor = 1; ; at++, factor *= 0x80) {
    const byte = raw.readUInt8(at)
    plainBytes += (byte & 0x7f) * factor
    if (byte < 0x80) break
  }
  const head = Buffer.alloc(8)
  head.writeUInt32BE(plainBytes, 0)
  head.writeUInt32BE(raw.length, 4)
  return Buffer.concat([head, raw])
}
