import type { ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'
import { releaseBuffer } from '../../../../lib/release-buffer.ts'
import type { EngineError } from '../../engine-error.ts'
import { errorText, httpStatus } from '../engine/errors.ts'
import { plainText } from './content-types.ts'
import { exceptionBlock, exceptionLine, exceptionTag } from './exception-block.ts'

/**
 * The answer to one statement. The first bytes of a result are held back: a failure before they are many becomes
 * an ordinary error answer, and a result that fits is sent with its length and its summary in one piece.
 */
export interface Answer {
  /** False = wait for `onDrain` before writing more. */
  write(chunk: Buffer): boolean
  /** The same for a chunk that nobody reads afterwards: its memory is free once it is sent. */
  give(chunk: Buffer): boolean
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
  /** The same for the text of an error, also where the engine has compressed the result. */
  errorEncoders: () => Transform[]
  isEncoded: boolean
  /** '' = none is said. */
  contentEncoding: string
  /** An exception in the middle is one more line of the result, which then ends as it should. */
  writesException?: boolean
  /** How long the connection stays open behind an encoded answer that broke off. */
  lingerMs?: number
}

/** A slow client makes us hold so much, and the engine wait. */
const windowBytes = 512 * 1024
const maxJoinedBytes = 4096
/**
 * Clients of Node throw away what their decompressor still holds when the connection ends, so its end must not
 * come right behind the last bytes.
 */
const defaultLingerMs = 500

export function createAnswer(options: AnswerOptions): Answer {
  const { response, holdBytes, lingerMs = defaultLingerMs } = options
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
    chain(encoders).on('drain', () => answer.onDrain())
  }

  /** Leads each encoder into the next and the last into the response; returns where it all begins. */
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

  /** In one piece with the head; a few bytes as text, which goes out in the same write. */
  function endWithOne(chunk: Buffer): void {
    if (chunk.length <= maxJoinedBytes) response.end(chunk.toString('latin1'), 'latin1')
    else response.end(chunk)
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
        if (isWhole && only !== undefined && held.length === 1) return void endWithOne(only)
        release()
      }
      const [source = response] = encoders
      source.end()
    },
    fail(error) {
      const text = errorText(error, options.version)
      if (!hasBegun) failAtOnce(error.code, text)
      else if (options.writesException) endWith(exceptionLine(text))
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

  function endWith(line: string): void {
    if (encoders.length > 0) encoders[0]?.end(line)
    else chain(options.errorEncoders()).end(line)
  }

  /** Without the end of the body that HTTP asks for, nobody can take the result for whole. */
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
