/**
 * Reads answers that come piece by piece. An answer of lines (NDJSON) or events is a sequence of JSON values; an error
 * after the answer began is its last line, `{"status","message","issues"?}` or the error of the management API, or an
 * event `error`. A line that looks like an error but has a successor was a result. All other answers are bytes; an error
 * is the text of a block at their end (`lib/clickhouse/exception-reader.ts`).
 */
import { createExceptionReader } from '../lib/clickhouse/exception-reader.ts'
import { errorOfAnswer, localError } from './client-error.ts'

export const lineType = 'application/x-ndjson'
export const eventType = 'text/event-stream'

/** The values of an answer of lines or events, as they come; null = the answer is of another type. */
export function itemsOf(headers: Headers, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> | null {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type === lineType) return lineItems(headers, bytes)
  return type === eventType ? eventItems(headers, bytes) : null
}

/** The bytes of an answer that is a file, as they come. */
export async function* fileOf(
  headers: Headers,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const tag = headers.get('x-clickhouse-exception-tag')
  if (tag === null) return yield* bytes
  const exception = createExceptionReader(tag)
  for await (const piece of bytes) {
    const data = exception.take(piece)
    if (data.length > 0) yield data
    if (!exception.isWhole) continue
    const text = exception.text()
    throw errorOfAnswer(statusOf(parsed(text)) ?? 500, headers, text)
  }
  if (exception.kept.length > 0) yield exception.kept
}

async function* lineItems(headers: Headers, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  let held: { text: string; status: number; item: unknown } | null = null
  for await (const text of linesOf(bytes)) {
    if (text === '') continue
    if (held) yield held.item
    const item = parse(text)
    const status = statusOf(item)
    held = status === null ? null : { text, status, item }
    if (!held) yield item
  }
  if (held) throw errorOfAnswer(held.status, headers, held.text)
}

async function* eventItems(headers: Headers, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  let name = ''
  let data: string[] = []
  for await (const line of linesOf(bytes)) {
    const [, field = '', value = ''] = /^(\w*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') name = value
    if (field === 'data') data.push(value)
    if (line !== '' || data.length === 0) continue
    const text = data.join('\n')
    const item = parse(text)
    if (name === 'error') throw errorOfAnswer(statusOf(item) ?? 500, headers, text)
    yield item
    name = ''
    data = []
  }
}

/** The status of an error; null = the value is none. */
function statusOf(item: unknown): number | null {
  if (typeof item !== 'object' || item === null) return null
  const { status, message, error } = item as Record<string, unknown>
  const isError = typeof status === 'number' && status >= 400
  return isError && (typeof message === 'string' || typeof error === 'string') ? status : null
}

function parse(text: string): unknown {
  const item = parsed(text)
  if (item === undefined) throw localError('BAD_ANSWER', 'a line of the answer is not JSON')
  return item
}

/** Undefined = the text is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A line that grows over many pieces is joined once, at its end. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let begun: string[] = []
  for await (const text of textOf(bytes)) {
    const [first = '', ...rest] = text.split('\n')
    begun.push(first)
    for (const next of rest) {
      yield withoutReturn(begun.join(''))
      begun = [next]
    }
  }
  const last = begun.join('')
  if (last !== '') yield withoutReturn(last)
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)

/** The text of the bytes; a character that is cut between two pieces is whole in the second. */
export async function* textOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const piece of bytes) yield decoder.decode(piece, { stream: true })
  yield decoder.decode()
}
