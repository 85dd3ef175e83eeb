import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { decompressLz4 } from '../lib/clickhouse/lz4-block.ts'
import type { RequestHeaders } from './request-headers.ts'

type BodyForm = Pick<RequestHeaders, 'contentEncoding' | 'contentType'>

/**
 * The query at the beginning of a body of which the rest may not have come; null when it cannot be read. `isInBlocks`:
 * the body is in ClickHouse's own compressed blocks (`decompress=1`).
 */
export function readQueryText(bytes: Buffer, form: BodyForm, isInBlocks: boolean): string | null {
  try {
    const decoded = decode(bytes, form.contentEncoding)
    const text = (isInBlocks ? firstBlock(decoded) : decoded).toString('utf8')
    return isMultipart(form) ? fieldOf(text) : text
  } catch {
    // Damaged, cut off too early, or too large: the replica, which sees all of it, says what is wrong.
    return null
  }
}

const isMultipart = ({ contentType }: BodyForm): boolean => /^multipart\/form-data\b/i.test(contentType)

// A few compressed bytes may stand for gigabytes.
const limit = { maxOutputLength: 4 * 1024 * 1024 }

function decode(bytes: Buffer, encoding: string): Buffer {
  switch (encoding) {
    case '':
    case 'identity':
      return bytes
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, { ...limit, finishFlush: constants.Z_SYNC_FLUSH })
    case 'deflate':
      return inflateSync(bytes, { ...limit, finishFlush: constants.Z_SYNC_FLUSH })
    case 'br':
      return brotliDecompressSync(bytes, { ...limit, finishFlush: constants.BROTLI_OPERATION_FLUSH })
    case 'zstd':
      return zstdDecompressSync(bytes, { ...limit, finishFlush: constants.ZSTD_e_flush })
    default:
      throw new Error('an encoding that is not read here')
  }
}

/** 16 bytes of checksum, the method, the size from here on and the size of what is in it; see compressed-blocks.ts. */
function firstBlock(bytes: Buffer): Buffer {
  const method = bytes.readUInt8(16)
  const endAt = 16 + bytes.readUInt32LE(17)
  const plainBytes = bytes.readUInt32LE(21)
  if (endAt > bytes.length || plainBytes > limit.maxOutputLength)
    throw new Error('too large to be looked into')
  const data = bytes.subarray(25, endAt)
  if (method === 0x82) return decompressLz4(data, plainBytes)
  if (method === 0x90) return zstdDecompressSync(data, limit)
  if (method === 0x02) return data
  throw new Error('an unknown method')
}

/** The field `query` of a form. */
function fieldOf(text: string): string | null {
  const [, value] =
    /;\s*name="query"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n([\s\S]*?)(?:\r\n--|$)/i.exec(text) ?? []
  return value ?? null
}
