import { randomFillSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'
import { plainText } from './content-types.ts'
import { type EngineError, errorText, httpStatus } from './errors.ts'

/**
 * The answer to one statement. The first bytes of a result are held back: a failure before they are many becomes
 * an ordinary error answer, and a result that fits is sent with its length and its summary in one piece.
 */
export interface Answer {
  /** False = wait for `onDrain` before writing more. */
  write(chunk: Buffer): boolean
  onDrain: () => void
  /** For the head of an answer that begins before its end. */
  know(summary: Summary): void
  end(summary: Summary): void
  /** Whether or not something was sent already, the client will know that this failed. */
  fail(error: EngineError): void
  /** Bytes of the result so far, before compression. */
  readonly resultBytes: number
}

export interface Summary {
  rowsRead: number
  bytesRead: number
  resultRows: number
  rowsWritten: number
  bytesWritten: number
  elapsedSeconds: number
}

export interface AnswerOptions {
  response: ServerResponse
  queryId: string
  format: string
  contentType: string
  timezone: string
  version: string
  cors: boolean
  /** How much is held back before the answer begins. */
  holdBytes: number
  /** Makes what the result is compressed with, in this order. */
  encoders: () => Transform[]
  isEncoded: boolean
  /** '' = none is said. */
  contentEncoding: string
}

/** A slow client makes us hold so much, and the engine wait. */
const windowBytes = 512 * 1024
const maxExceptionBytes = 16 * 1024

export function createAnswer(options: AnswerOptions): Answer {
  const { response, holdBytes } = options
  const tag = exceptionTag()
  let encoders: Transform[] = []
  let held: Buffer[] = []
  let heldBytes = 0
  let hasBegun = false
  let known = nothingYet

  /** As a flat list, which costs least. */
  function headers(type: string): string[] {
    return [
      ...['Content-Type', type],
      ...['X-ClickHouse-Server-Display-Name', 'granary'],
      ...['X-ClickHouse-Query-Id', fitForHeader(options.queryId)],
      ...['X-ClickHouse-Format', fitForHeader(options.format)],
      ...['X-ClickHouse-Timezone', fitForHeader(options.timezone)],
      ...['X-ClickHouse-Exception-Tag', tag],
      ...(options.cors ? ['Access-Control-Allow-Origin', '*'] : []),
    ]
  }

  /** `lengthBytes`: of the whole body, where that is known. */
  function begin(summary: Summary, lengthBytes: number | null): void {
    hasBegun = true
    const head = headers(options.contentType)
    head.push('X-ClickHouse-Summary', summaryText(summary, answer.resultBytes))
    if (lengthBytes !== null) head.push('Content-Length', String(lengthBytes))
    if (options.contentEncoding !== '' && lengthBytes !== 0) {
      head.push('Content-Encoding', options.contentEncoding)
    }
    response.writeHead(200, head)
    encoders = lengthBytes === null ? options.encoders() : []
    const source = encoders[0] ?? response
    source.on('drain', () => answer.onDrain())
    for (const [index, encoder] of encoders.entries()) encoder.pipe(encoders[index + 1] ?? response)
  }

  function send(chunk: Buffer): boolean {
    const [first] = encoders
    if (first !== undefined) return first.write(chunk)
    response.write(chunk)
    return response.writableLength < windowBytes
  }

  function release(): boolean {
    const chunks = held
    held = []
    heldBytes = 0
    return chunks.map(send).every(Boolean)
  }

  const answer: Answer = {
    resultBytes: 0,
    onDrain: () => undefined,
    know(summary) {
      known = summary
    },
    write(chunk) {
      ;(answer as { resultBytes: number }).resultBytes += chunk.length
      if (hasBegun) return send(chunk)
      held.push(chunk)
      heldBytes += chunk.length
      if (heldBytes <= holdBytes) return true
      begin(known, null)
      return release()
    },
    end(summary) {
      if (!hasBegun) {
        const isWhole = heldBytes === 0 || !options.isEncoded
        begin(summary, isWhole ? heldBytes : null)
        const [only] = held
        // In one piece with the head.
        if (isWhole && held.length === 1) return void response.end(only)
        release()
      }
      const [source = response] = encoders
      source.end()
    },
    fail(error) {
      const text = errorText(error, options.version)
      if (!hasBegun) {
        hasBegun = true
        response.writeHead(httpStatus(error.code), [
          ...headers(plainText),
          ...['X-ClickHouse-Exception-Code', String(error.code)],
          ...['Content-Length', String(Buffer.byteLength(text))],
        ])
        response.end(text)
        return
      }
      const block = exceptionBlock(text, tag)
      // Without the end of the body that HTTP asks for, nobody can take the result for whole.
      const cut = () => response.socket?.destroySoon()
      const [first] = encoders
      const last = encoders.at(-1)
      if (first === undefined || last === undefined) {
        response.write(block)
        cut()
      } else {
        last.unpipe(response)
        last.on('data', (chunk: Buffer) => response.write(chunk))
        last.on('end', cut)
        last.resume()
        first.end(block)
      }
    },
  }
  return answer
}

/** Clients choose ids and names of formats; a head takes only this of them. */
const fitForHeader = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?')

const nothingYet: Summary = {
  ...{ rowsRead: 0, bytesRead: 0, resultRows: 0, rowsWritten: 0, bytesWritten: 0, elapsedSeconds: 0 },
}

function summaryText(summary: Summary, resultBytes: number): string {
  return JSON.stringify({
    read_rows: String(summary.rowsRead),
    read_bytes: String(summary.bytesRead),
    written_rows: String(summary.rowsWritten),
    written_bytes: String(summary.bytesWritten),
    total_rows_to_read: String(summary.rowsRead),
    result_rows: String(summary.resultRows),
    result_bytes: String(resultBytes),
    elapsed_ns: String(Math.round(summary.elapsedSeconds * 1e9)),
  })
}

/**
 * What ClickHouse writes into a body that it cannot finish. The tag, new for each answer and told in its head,
 * shows that the text does not come from the data.
 */
export function exceptionBlock(text: string, tag: string): string {
  let message = text
  while (Buffer.byteLength(message) > maxExceptionBytes) message = message.slice(0, message.length * 0.9)
  if (!message.endsWith('\n')) message += '\n'
  return `\r\n__exception__\r\n${tag}\r\n${message}${Buffer.byteLength(message)} ${tag}\r\n__exception__\r\n`
}

function exceptionTag(): string {
  if (randomAt >= random.length) {
    randomFillSync(random)
    randomAt = 0
  }
  let tag = ''
  for (const end = randomAt + 16; randomAt < end; randomAt++) {
    tag += letters[(random[randomAt] ?? 0) % letters.length]
  }
  return tag
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
/** Many at a time cost little more than one. */
const random = new Uint8Array(4096)
let randomAt = random.length
