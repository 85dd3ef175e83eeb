import type { ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'
import { brokenLingerMs, endWith } from '../../../../lib/answer-end.ts'
import { exceptionBlock, exceptionLine, exceptionTag } from '../../../../lib/clickhouse/exception-block.ts'
import { releaseBuffer } from '../../../../lib/release-buffer.ts'
import type { EngineError } from '../../engine-error.ts'
import { errorText, httpStatus } from '../engine/errors.ts'
import { plainText } from './content-types.ts'

/**
 * The answer to one statement. The first bytes of a result are held back: a failure within them becomes an ordinary
 * error answer, and a result that fits into them is sent with its length and its summary in one piece.
 */
export interface Answer {
  /** False = wait for `onDrain` before writing more. */
  write(chunk: Buffer): boolean
  /** The same for a chunk that the caller does not use afterwards: its memory is free once it is sent. */
  give(chunk: Buffer): boolean
  onDrain: () => void
  /** Sets the summary for the HTTP head of an answer that begins before the statement has ended. */
  know(summary: Summary): void
  end(summary: Summary): void
  /** The client learns of the failure even if a part of the result was sent already. */
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
  /** How many bytes are held back before the answer begins. */
  holdBytes: number
  /** Creates the transforms that compress the result, in order. */
  encoders: () => Transform[]
  /** The same for the text of an error; needed even where the engine itself compresses the result. */
  errorEncoders: () => Transform[]
  isEncoded: boolean
  /** '' = the answer has no such header. */
  contentEncoding: string
  /** An exception in the middle becomes one more line of the result, which then ends properly. */
  writesException?: boolean
  /** How long the connection stays open after an encoded answer that broke off. */
  lingerMs?: number
}

/** A slow client makes the replica buffer this much before the engine has to wait. */
const windowBytes = 512 * 1024

export function createAnswer(options: AnswerOptions): Answer {
  const { response, holdBytes, lingerMs = brokenLingerMs } = options
  const tag = exceptionTag()
  let encoders: Transform[] = []
  let held: Buffer[] = []
  let heldBytes = 0
  let hasBegun = false
  let known = nothingYet

  /** A flat list, the cheapest form for Node. */
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

  /** `lengthBytes` is the length of the whole body; null = unknown. */
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
    chain(encoders).on('drain', () => answer.onDrain())
  }

  /** Pipes each encoder into the next and the last into the response; returns the first stream. */
  function chain(links: Transform[]): Transform | ServerResponse {
    for (const [index, encoder] of links.entries()) encoder.pipe(links[index + 1] ?? response)
    return links[0] ?? response
  }

  function send(chunk: Buffer, onSent?: (error?: Error | null) => void): boolean {
    const [first] = encoders
    if (first !== undefined) return first.write(chunk)
    response.write(chunk, onSent)
    return response.writableLength < windowBytes
  }

  function release(): boolean {
    const chunks = held
    held = []
    heldBytes = 0
    return chunks.map((chunk) => send(chunk)).every(Boolean)
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
    give(chunk) {
      if (!hasBegun) return answer.write(chunk)
      ;(answer as { resultBytes: number }).resultBytes += chunk.length
      return send(chunk, (error) => error || releaseBuffer(chunk))
    },
    end(summary) {
      if (!hasBegun) {
        const isWhole = heldBytes === 0 || !options.isEncoded
        begin(summary, isWhole ? heldBytes : null)
        const [only] = held
        if (isWhole && only !== undefined && held.length === 1) return void endWith(response, only)
        release()
      }
      const [source = response] = encoders
      source.end()
    },
    fail(error) {
      const text = errorText(error, options.version)
      if (!hasBegun) failAtOnce(error.code, text)
      else if (options.writesException) endWithLine(exceptionLine(text))
      else breakOff(exceptionBlock(text, tag))
    },
  }

  function failAtOnce(code: number, text: string): void {
    hasBegun = true
    const links = options.errorEncoders()
    response.writeHead(httpStatus(code), [
      ...headers(plainText),
      ...['X-ClickHouse-Exception-Code', String(code)],
      ...(links.length === 0 ? ['Content-Length', String(Buffer.byteLength(text))] : []),
      ...(options.contentEncoding === '' ? [] : ['Content-Encoding', options.contentEncoding]),
    ])
    chain(links).end(text)
  }

  function endWithLine(line: string): void {
    if (encoders.length > 0) encoders[0]?.end(line)
    else chain(options.errorEncoders()).end(line)
  }

  /** Omits the end of the body that HTTP requires, so that no client can take the result for complete. */
  function breakOff(block: string): void {
    const { socket } = response
    const links = encoders.length > 0 ? encoders : options.errorEncoders()
    const last = links.at(-1)
    if (last === undefined) {
      response.write(block)
      socket?.destroySoon()
      return
    }
    if (links !== encoders) chain(links)
    last.unpipe(response)
    last.on('data', (chunk: Buffer) => response.write(chunk))
    last.on('end', () => {
      const timer = setTimeout(() => socket?.destroySoon(), lingerMs)
      socket?.once('close', () => clearTimeout(timer))
    })
    last.resume()
    links[0]?.end(block)
  }

  return answer
}

/** Clients choose query ids and format names; HTTP headers accept only these characters. */
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
