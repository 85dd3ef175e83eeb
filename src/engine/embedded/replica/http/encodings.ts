import type { Transform } from 'node:stream'
import {
  constants,
  createBrotliCompress,
  createBrotliDecompress,
  createDeflate,
  createGunzip,
  createGzip,
  createInflate,
  createZstdCompress,
  createZstdDecompress,
} from 'node:zlib'
import { createLz4FrameDecoder } from '../../../../lib/compression/lz4-frame.ts'
import { createSnappyDecoder } from '../../../../lib/compression/snappy.ts'
import { createStoredEncoder } from '../../../../lib/compression/stored-frames.ts'
import { createXzDecoder } from '../../../../lib/compression/xz.ts'

/** How a body is compressed; HTTP and the engine's COMPRESSION clause use the same names. */
export type Encoding = 'zstd' | 'br' | 'lz4' | 'snappy' | 'gzip' | 'deflate' | 'xz'

/** From the most to the least preferred, in ClickHouse's order. */
const encodings: readonly Encoding[] = ['zstd', 'br', 'lz4', 'snappy', 'gzip', 'deflate', 'xz']

/** The encoding of the answer to a request with this `Accept-Encoding`; null = none. */
export function chooseEncoding(accept: string): Encoding | null {
  const weights = new Map<string, number>()
  for (const item of accept.toLowerCase().split(',')) {
    const [name = '', ...options] = item.split(';').map((part) => part.trim())
    const weight = options.find((option) => option.startsWith('q='))?.slice(2)
    weights.set(name, weight === undefined ? 1 : Number(weight))
  }
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get('*') ?? 0
  const best = Math.max(...encodings.map(weightOf))
  return best > 0 ? (encodings.find((name) => weightOf(name) === best) ?? null) : null
}

/** Reads a `Content-Encoding`; undefined = unknown encoding, null = not compressed. */
export function readEncoding(header: string): Encoding | null | undefined {
  const name = header.trim().toLowerCase()
  if (name === '' || name === 'identity' || name === 'none') return null
  return encodings.find((encoding) => encoding === (synonyms[name] ?? name))
}

const synonyms: Record<string, Encoding> = { gz: 'gzip', 'x-gzip': 'gzip', brotli: 'br', zst: 'zstd' }

/** Encodings without an encoder in Node store the data uncompressed: the engine compresses large results itself. */
export function createEncoder(encoding: Encoding, level: number): Transform {
  switch (encoding) {
    case 'gzip':
      return createGzip({ level: within(level, 9), chunkSize })
    case 'deflate':
      return createDeflate({ level: within(level, 9), chunkSize })
    case 'zstd':
      return createZstdCompress({
        params: { [constants.ZSTD_c_compressionLevel]: within(level, 19) },
        chunkSize,
      })
    case 'br':
      return createBrotliCompress({
        params: { [constants.BROTLI_PARAM_QUALITY]: within(level, 9) },
        chunkSize,
      })
    case 'lz4':
    case 'snappy':
    case 'xz':
      return createStoredEncoder(encoding)
  }
}

export function createDecoder(encoding: Encoding): Transform {
  switch (encoding) {
    case 'gzip':
      return createGunzip({ chunkSize })
    case 'deflate':
      return createInflate({ chunkSize })
    case 'zstd':
      return createZstdDecompress({ chunkSize })
    case 'br':
      return createBrotliDecompress({ chunkSize })
    case 'lz4':
      return createLz4FrameDecoder()
    case 'snappy':
      return createSnappyDecoder()
    case 'xz':
      return createXzDecoder()
  }
}

const chunkSize = 64 * 1024

const within = (level: number, max: number): number =>
  Number.isFinite(level) ? Math.min(Math.max(Math.trunc(level), 1), max) : 3
