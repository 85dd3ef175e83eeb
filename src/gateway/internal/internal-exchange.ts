import { Readable } from 'node:stream'
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
  /** By names in lower case. */
  headers: Readonly<Record<string, string>>
  /**
   * As it comes, and no faster than it is read; to be read to its end or destroyed, which cancels the query. It fails
   * with a `QueryError` when the query does so in the middle of its answer. Empty where there is an exception.
   */
  body: Readable
  /** Of a statement that failed before it answered anything. */
  exception: QueryError | null
}

/** More of the text of an exception than any that ClickHouse writes. */
const maxExceptionBytes = 64 * 1024

/** The exchange of a part of the product. */
export class InternalExchange implements Exchange {
  readonly method = 'POST'
  readonly address = ''
  readonly target: RequestTarget
  readonly headers: RequestHeaders
  readonly body: RequestBody
  readonly response: AnswerStream
  /** Resolves when the answer begins. */
  readonly answer: Promise<InternalAnswer>
  /** Resolves when nothing more will happen. */
  readonly closed: Promise<void>
  isGone = false
  onGone: () => void = nothing
  onClosed: () => void = nothing
  heldMs: number | null = null
  sentBytes = 0
  private readonly source: Readable
  private readonly answered: AnswerBody
  private isOver = false
  private begin: (answer: InternalAnswer) => void = nothing
  private fail: (reason: unknown) => void = nothing

  constructor(question: Question) {
    const { statement, body, signal } = question
    const bytes = Buffer.from(statement)
    // The text goes before the data, as its parameter; without data it is the body, of any length.
    this.target = parseTarget(`/?${parametersOf(question)}`)
    const contentLength = body === undefined ? bytes.length : null
    this.headers = { ...readHeaders([]), contentLength, isChunked: body !== undefined }
    this.source = toReadable(body ?? [bytes])
    this.body = new RequestBody(this.source, {
      ...{ contentLength, isChunked: body !== undefined, onWanted: nothing },
      // The memory is the caller's.
      release: nothing,
    })
    this.answer = new Promise((resolve, reject) => {
      this.begin = resolve
      this.fail = reject
    })
    this.answered = new AnswerBody()
    // Whoever reads it hears of it; before and after that, nobody needs to.
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
        // A body that was destroyed before its end: nobody wants the rest.
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

  /** Whoever asked wants no answer any more. */
  leave(reason: unknown): void {
    const error =
      reason instanceof Error ? reason : new Error('the question was withdrawn', { cause: reason })
    this.fail(error)
    this.goAway()
    this.answered.destroy(error)
  }

  /** Nothing more of what is to be inserted is wanted. */
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
          this.begin({ status, headers, body: answered, exception: null })
        } else void this.failWith(status, headers)
      },
      flushHeaders: nothing,
      // What is written is handed on, not copied: it is never told to be sent, so that nobody frees it.
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
      // What came of it tells enough.
    }
    const code = Number(headers['x-clickhouse-exception-code'] ?? 0)
    this.begin({ status, headers, body: Readable.from([]), exception: new QueryError(code, text.trim()) })
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

/** A stream of bytes is taken as it is, so that it is destroyed also when nothing of it was read. */
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
