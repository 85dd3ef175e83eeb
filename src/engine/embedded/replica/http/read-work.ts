import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { type InsertHeader, readInsertHeader } from '../../../../lib/clickhouse/insert-header.ts'
import { hasBodyText, textBeforeBody, textWithoutBody } from '../../../../lib/clickhouse/statement-text.ts'
import { EngineError } from '../../engine-error.ts'
import { decodeBody, type Head, readHead, unknownEncoding } from './body.ts'
import { type Encoding, readEncoding } from './encodings.ts'

/** What a request asks for, with as much of its body as had to be read to find out. */
export type Work =
  | { is: 'statement'; sql: string }
  /** `text` is the statement before the data; `encoding` is the compression of the data that the engine must undo. */
  | { is: 'insert'; text: string; header: InsertHeader; data: Head; encoding: Encoding | null }

/** A smaller insert is received as a whole before the engine starts on it. */
export const smallInsertBytes = 256 * 1024
/** Values up to this size may contain expressions, which the filter checks before the engine evaluates them. */
export const maxValuesBytes = 4 * 1024 * 1024
/** The limit for SQL without the data of an INSERT. The engine has a lower limit unless a client raises it. */
export const maxStatementBytes = 16 * 1024 * 1024

/** How many statements over `smallInsertBytes` may be in memory at a time, each counted with the largest size. */
export const maxLargeStatements = 8

/** `urlQueries`: see statement-text.ts. `claim` resolves when there is memory for a large statement. */
export async function readWork(
  request: IncomingMessage,
  urlQueries: readonly string[],
  isInBlocks: boolean,
  claim: () => Promise<void>,
): Promise<Work> {
  if (!hasBodyText(request.method)) return { is: 'statement', sql: textWithoutBody(urlQueries) }
  const urlText = textBeforeBody(urlQueries)
  const name = String(request.headers['content-encoding'] ?? '')
  const encoding = readEncoding(name)
  if (encoding === undefined) throw unknownEncoding(name)
  if (encoding !== null && !isInBlocks) {
    const work = await passOn(request, urlText, encoding)
    if (work !== null) return work
  }
  const body = encoding === null && !isInBlocks ? request : decodeBody(request, encoding, isInBlocks)
  const before = urlText === '' ? [] : [Buffer.from(urlText)]
  return fromHead(await readHead(body, smallInsertBytes, before), claim)
}

/** If the URL contains the whole statement and the body only the data, the engine can decompress the data itself. */
async function passOn(request: Readable, urlText: string, encoding: Encoding): Promise<Work | null> {
  const result = urlText === '' ? null : readInsertHeader(urlText, true)
  if (result?.state !== 'ok') return null
  const { header } = result
  const isPlain =
    header.source === 'data' && !header.hasSemicolonBeforeData && !isValues(header) && !needsFile(header)
  if (!isPlain || header.dataStart < urlText.length - 1) return null
  const data = await readHead(request, smallInsertBytes)
  const isEmpty = data.rest === null && data.bytes.length === 0
  return { is: 'insert', text: urlText.trimEnd(), header, data, encoding: isEmpty ? null : encoding }
}

/** Formats that are read from their end, or by size: from a FIFO the engine would buffer all data, or refuse it. */
export const needsFile = ({ format }: InsertHeader): boolean =>
  ['parquet', 'parquetmetadata', 'orc', 'arrow', 'npy'].includes(format.toLowerCase())

export const isValues = ({ format }: InsertHeader): boolean => format.toLowerCase() === 'values'

async function fromHead(head: Head, claim: () => Promise<void>): Promise<Work> {
  for (let limitBytes = 2 * smallInsertBytes; ; limitBytes *= 2) {
    // In latin1 a character is a byte, so that offsets are right even if binary data follows.
    const result = readInsertHeader(head.bytes.toString('latin1'), head.rest === null)
    if (result.state === 'ok' && result.header.dataStart >= 0) return insertWork(head, result.header)
    if (head.rest === null) return { is: 'statement', sql: head.bytes.toString('utf8') }
    if (head.bytes.length >= maxStatementBytes) {
      head.rest.resume()
      const message = `Query is too large: more than ${maxStatementBytes} bytes without the data of an INSERT`
      throw new EngineError(229, 'QUERY_IS_TOO_LARGE', message)
    }
    if (limitBytes === 2 * smallInsertBytes) await claim()
    head = await readHead(head.rest, limitBytes, [head.bytes])
  }
}

async function insertWork(head: Head, { dataStart }: InsertHeader): Promise<Work> {
  // Names may contain characters beyond latin1.
  const text = head.bytes.toString('utf8', 0, dataStart)
  const result = readInsertHeader(text, true)
  if (result.state !== 'ok') return { is: 'statement', sql: text }
  const { header } = result
  let data: Head = { bytes: head.bytes.subarray(dataStart), rest: head.rest }
  if (isValues(header) && data.rest !== null) data = await readHead(data.rest, maxValuesBytes, [data.bytes])
  return { is: 'insert', text: text.trimEnd(), header, data, encoding: null }
}
