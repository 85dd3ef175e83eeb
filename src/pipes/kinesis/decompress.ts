import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { readLz4Frames } from './lz4-frame.ts'
import { readSnappyFrame } from './snappy-frame.ts'
import { TooLarge } from './too-large.ts'

type Codec = { magic: Buffer; name: string; read(bytes: Buffer, maxBytes: number): Buffer }

const codecs: Codec[] = [
  {
    ...{ name: 'gzip', magic: Buffer.from([0x1f, 0x8b, 0x08]) },
    read: (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength }),
  },
  {
    ...{ name: 'zstd', magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]) },
    read: (bytes, maxOutputLength) => zstdDecompressSync(bytes, { maxOutputLength }),
  },
  { name: 'lz4', magic: Buffer.from([0x04, 0x22, 0x4d, 0x18]), read: readLz4Frames },
  { name: 'snappy', magic: Buffer.from('\xff\x06\x00\x00sNaPpY', 'latin1'), read: readSnappyFrame },
]

/** Producers compress records one by one, and nothing but the first bytes tells it. */
export function decompress(data: Buffer, maxBytes: number): Decompressed {
  const codec = codecs.find(({ magic }) => data.subarray(0, magic.length).equals(magic))
  if (codec === undefined) return { value: data }
  try {
    return { value: codec.read(data, maxBytes) }
  } catch (error) {
    const isLarge = error instanceof TooLarge || (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
    return isLarge
      ? { code: 'too_large', reason: `the record has more than ${maxBytes} bytes when it is decompressed` }
      : { code: 'decompress', reason: `the record begins like ${codec.name}, and cannot be decompressed` }
  }
}

export type Decompressed = { value: Buffer } | { code: 'too_large' | 'decompress'; reason: string }
