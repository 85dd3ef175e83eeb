import { Readable } from 'node:stream'
import { replicaHeaders } from '../../engine/embedded/protocol.ts'
import type { AnswerStream, Exchange } from '../exchange/exchange.ts'
import { type Refusal, refusalText } from '../exchange/refusal.ts'
import { RequestBody } from '../exchange/request-body.ts'
import { type RequestHeaders, readHeaders } from '../exchange/request-headers.ts'
import { parseTarget, type RequestTarget } from '../exchange/request-target.ts'
import { AnswerBody } from './answer-body.ts'
import type { Question } from './ask.ts'
import { QueryError } from './query-error.ts'

export interface InternalAnswer {
  status: number
  /** Names are in lower case. */
  headers: Readonly<Record<string, string>>
  /**
   * Streams at the reader's pace. The reader must read it to its end or destroy it, which cancels the query.
   * It fails with a `QueryError` when the query fails in the middle of its answer. Empty if there is an
   * exception.
   */
  body: Readable
  /** The error of a statement that failed before its answer began. */
  exception: QueryError | null
  /** The id of the replica that answered; '' = none did. */
  servedBy: string
}

/** More than the text of any exception that ClickHouse writes. */
const maxExceptionBytes = 64 * 1024

/** An exchange with a part of the product. */
export class InternalExchange implements Exchange {
  readonly method = 'POST'
  readonly address = ''
  readonly target: RequestTarget
  readonly headers: RequestHeaders
  readonly body: RequestBody
  readonly response: AnswerStream
  /** Resolves when the answer begins. */
  readonly answer: Promise<InternalAnswer>
  /** Resolves when the exchange is over. */
  readonly closed: Promise<void>
  isGone = false
  onGone: () => void = nothing
  onClosed: () => void = nothing
  onHeld: (isHeld: boolean) => void
  heldMs: number | null = null
  servedBy = ''
  sentBytes = 0
  private readonly source: Readable
  private readonly answered: AnswerBody
  private isOver = false
  private begin: (answer: InternalAnswer) => void = nothing
  private fail: (reason: unknown) => void = nothing

  constructor(question: Question) {
    const { statement, body, signal } = question
    this.onHeld = question.onHeld ?? nothing
    const bytes = Buffer.from(statement)
    // With data, the statement is a parameter; without, it is the body and may have any length.
    this.target = parseTarget(`/?${parametersOf(question)}`)
    const contentLength = body === undefined ? bytes.length : null
    const forwarded = headersOf(question)
    this.headers = { ...readHeaders([]), forwarded, contentLength, isChunked: body !== undefined }
    this.source = toReadable(body ?? [bytes])
    this.body = new RequestBody(this.source, {
      ...{ contentLength, isChunked: body !== undefined, onWanted: nothing },
      // The memory belongs to the caller.
      release: nothing,
    })
    this.answer = new Promise((resolve, reject) => {
      this.begin = resolve
      this.fail = reject
    })
    this.answered = new AnswerBody()
    // Readers of the stream get the error; without a reader it must not crash the process.
    this.answered.on('error', nothing)
    this.response = this.createResponse()
    const leave = () => this.leave(signal?.reason)
    signal?.addEventListener('abort', leave, { once: true })
    this.source.on('error', (error) => this.leave(error))
    this.source.on('close', () => {
      if (!this.source.readableEnded && !this.isOver) this.leave(new Error('the body was ended early'))
    })
    this.closed = new Promise((resolve) => {
      this.answered.once('close', () => {
        signal?.removeEventListener('abort', leave)
        this.endSource()
        // A body that was destroyed before its end: the caller does not want the rest.
        if (!this.answered.isWhole) this.goAway()
        this.onClosed()
        resolve()
      })
    })
  }

  refuse(refusal: Refusal): void {
    if (this.response.statusCode !== 0) return
    const headers = Object.entries({
      ...refusal.headers,
      'X-ClickHouse-Exception-Code': String(refusal.code),
    })
    this.response.writeHead(refusal.status, '', headers.flat())
    this.response.end(Buffer.from(refusalText(refusal)))
  }

  breakOff(): void {
    this.endSource()
    this.answered.breakOff()
  }

  /** The caller no longer wants an answer. */
  leave(reason: unknown): void {
    const error =
      reason instanceof Error ? reason : new Error('the question was withdrawn', { cause: reason })
    this.fail(error)
    this.goAway()
    this.answered.destroy(error)
  }

  /** Closes the data to insert: no more of it is wanted. */
  private endSource(): void {
    this.isOver = true
    this.source.destroy()
  }

  private goAway(): void {
    if (this.isGone) return
    this.isGone = true
    this.onGone()
  }

  private createResponse(): AnswerStream {
    const { answered } = this
    const response: AnswerStream & { statusCode: number } = {
      statusCode: 0,
      writeHead: (status, _text, raw) => {
        response.statusCode = status
        const headers = toHeaders(raw)
        if (status < 400) {
          answered.tag = headers['x-clickhouse-exception-tag'] ?? ''
          this.begin({ status, headers, body: answered, exception: null, servedBy: this.servedBy })
        } else void this.failWith(status, headers)
      },
      flushHeaders: nothing,
      // The bytes are passed on without a copy, so `onSent` is never called and their memory is not reused.
      write: (bytes) => answered.write(bytes),
      end: (data?: Buffer | string) => {
        this.endSource()
        if (typeof data === 'string') answered.end(data, 'latin1')
        else answered.end(data)
      },
      once: (event, listener) => answered.once(event, listener),
      destroy: () => answered.destroy(new QueryError(210, 'The answer cannot be read')),
    }
    return response
  }

  private async failWith(status: number, headers: Record<string, string>): Promise<void> {
    let text = ''
    try {
      for await (const bytes of this.answered) if (text.length < maxExceptionBytes) text += bytes
    } catch {
      // The part that arrived is enough for the error.
    }
    const code = Number(headers['x-clickhouse-exception-code'] ?? 0)
    const exception = new QueryError(code, text.trim())
    this.begin({ status, headers, body: Readable.from([]), exception, servedBy: this.servedBy })
  }
}

function parametersOf({ statement, body, format, queryId, session, principal }: Question): string {
  const parameters = new URLSearchParams(principal.settings)
  if (body !== undefined) parameters.set('query', statement)
  if (format !== undefined) parameters.set('default_format', format)
  if (queryId !== undefined) parameters.set('query_id', queryId)
  if (session !== undefined) parameters.set('session_id', session)
  return parameters.toString()
}

/** Headers that a replica of ours takes from the product alone; a plain ClickHouse server ignores them. */
function headersOf({ records, endpoints = [] }: Question): string {
  const counted = records === undefined ? '' : `${replicaHeaders.records}: ${records}\r\n`
  return endpoints.length === 0 ? counted : `${counted}${replicaHeaders.endpoints}: ${endpoints.join()}\r\n`
}

/** A byte stream is used as it is, so that it is destroyed even if nothing of it was read. */
function toReadable(body: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>): Readable {
  const isBytes = body instanceof Readable && !body.readableObjectMode && body.readableEncoding === null
  return isBytes ? body : Readable.from(body, { objectMode: false })
}

function toHeaders(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let i = 0; i + 1 < raw.length; i += 2) headers[(raw[i] ?? '').toLowerCase()] = raw[i + 1] ?? ''
  return headers
}

const nothing = (): void => {}
