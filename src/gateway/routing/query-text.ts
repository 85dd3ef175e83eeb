import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { decompressLz4 } from '../../lib/clickhouse/lz4-block.ts'
import {
  hasBodyText,
  isFormBody,
  textBeforeBody,
  textOfForm,
  textWithoutBody,
} from '../../lib/clickhouse/statement-text.ts'
import { readParts } from '../../lib/multipart.ts'
import type { RequestHeaders } from '../exchange/request-headers.ts'
import type { RequestTarget } from '../exchange/request-target.ts'

/** The parts of a request that determine its statement's text. */
export interface TextQuestion {
  method: string | undefined
  target: Pick<RequestTarget, 'queries' | 'hasCompressedBody'>
  headers: Pick<RequestHeaders, 'contentEncoding' | 'contentType'>
}

/**
 * The text of a statement; `bytes` are the beginning of the request's body; null = the text cannot be read.
 * statement-text.ts defines what counts as the text.
 */
export function readQueryText({ method, target, headers }: TextQuestion, bytes: Buffer): string | null {
  const { queries, hasCompressedBody } = target
  if (!hasBodyText(method)) return textWithoutBody(queries)
  try {
    if (isFormBody(method, headers.contentType)) return readFormText(queries, bytes, headers.contentType)
    const decoded = decode(bytes, headers.contentEncoding)
    const text = hasCompressedBody === true ? firstBlock(decoded) : decoded
    return textBeforeBody(queries) + text.toString('utf8')
  } catch {
    // Damaged, cut off too early, or too large: the replica, which sees the whole body, reports the error.
    return null
  }
}

function readFormText(queries: readonly string[], bytes: Buffer, contentType: string): string | null {
  const { parts, isWhole } = readParts(bytes, contentType)
  const fields = parts.filter(({ name, fileName }) => name === 'query' && fileName === null)
  const text = textOfForm(
    queries,
    fields.map(({ data }) => data.toString('utf8')),
  )
  return isWhole || fields.length > 0 ? text : null
}

// A few compressed bytes can expand to gigabytes.
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

/** 16 bytes of checksum, the method, the size from here on and the uncompressed size; see compressed-blocks.ts. */
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
