import { endWith, maxJoinedBytes } from '../../lib/answer-end.ts'
import type { Clock } from '../../lib/clock.ts'
import { releaseBuffer } from '../../lib/release-buffer.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { AnswerHead } from './answer-parser.ts'
import type { Call, Connection, OnSent } from './connection.ts'
import { answerHeaders, exceptionCodeOf, isLeavingAnswer } from './forwarded-heads.ts'
import type { Asker, Upstream } from './upstream.ts'

/**
 * The result of sending a request to a replica. `answered`: the client has the answer, or a broken one, or is
 * gone. `unsent`: the replica cannot have seen the request. `leaving`: the replica refused because it is
 * about to end. `lost`: the replica went away without an answer, and it is unknown what it did. `lacking`:
 * the replica lacks a table or file that the query needs. `writes`: the replica is a reader, and refused a
 * statement that writes.
 */
export type Outcome = 'answered' | 'unsent' | 'leaving' | 'lost' | 'lacking' | 'writes'

export interface ForwardOptions {
  exchange: Exchange
  upstream: Upstream
  asker: Asker
  /** A write needs a connection that is surely alive. */
  isFresh: boolean
  /** Errors that another replica may not have: on these, the outcome is `lacking` and the client gets nothing. */
  lackingCodes: ReadonlySet<number>
  /** If a reader refuses to write, the outcome is `writes` and the client gets nothing. */
  movesWrites: boolean
  clock: Clock
}

/** Streams a request to a replica and its answer to the client, each at the pace of its receiver. */
export const forward = (options: ForwardOptions): Promise<Outcome> =>
  new Promise((resolve) => new Forwarding(options, resolve).start())

// RFC 9110 §10.1.1: a client that expects 100 need not wait for it indefinitely.
const continueWaitMs = 1_000
/** READONLY */
const readOnlyCode = 164

class Forwarding implements Call {
  readonly isHeadOnly: boolean
  private readonly options: ForwardOptions
  private readonly exchange: Exchange
  private readonly text: string
  private readonly connection: Connection
  private readonly resolve: (outcome: Outcome) => void
  private head: AnswerHead | null = null
  /** The first bytes wait for the end of the turn, so that a small answer is sent in one piece. */
  private first: Buffer | null = null
  /** The last bytes from the connection, all parts of which were passed to the client. */
  private given: Buffer | null = null
  private isHeadOut = false
  private isPassing = false
  private isPaused = false
  private isOver = false
  private waiting: AbortController | null = null

  constructor(options: ForwardOptions, resolve: (outcome: Outcome) => void) {
    this.options = options
    this.exchange = options.exchange
    this.isHeadOnly = options.exchange.method === 'HEAD'
    this.resolve = resolve
    this.text = options.upstream.head(this.exchange, options.asker)
    this.connection = options.upstream.take(options.isFresh ? 'fresh' : 'any')
  }

  start(): void {
    const { exchange, connection, options, text } = this
    const { body } = exchange
    exchange.onGone = () => this.abandon('answered')
    connection.begin(this)
    if (!body.isWhole) {
      // Until the replica accepts the body, it can still go to another replica.
      connection.write(`${text}Expect: 100-continue\r\n\r\n`)
      this.waiting = new AbortController()
      void options.clock.sleep(continueWaitMs, this.waiting.signal).then(() => this.passBody())
      return
    }
    const { bytes } = body
    if (bytes.length <= maxJoinedBytes) connection.write(`${text}\r\n${bytes.toString('latin1')}`)
    else {
      connection.write(`${text}\r\n`)
      connection.write(bytes)
    }
    connection.endRequest()
  }

  onContinue(): void {
    // A server that sends 100 unconditionally may refuse right after it.
    setImmediate(() => this.passBody())
  }

  private passBody(): void {
    const { body } = this.exchange
    const { connection } = this
    if (this.isPassing || this.isOver || body.isWhole) return
    this.isPassing = true
    const isCounted = body.length !== null
    const write = (bytes: Buffer, onSent?: OnSent) =>
      isCounted ? connection.write(bytes, onSent) : connection.writeChunk(bytes, onSent)
    if (body.bytes.length > 0) write(body.bytes)
    body.pass({
      write: (bytes) => write(bytes, (error) => error || body.release(bytes)),
      end: () => {
        if (this.isOver) return
        if (!isCounted) connection.write('0\r\n\r\n')
        connection.endRequest()
      },
    })
  }

  onHead(head: AnswerHead): void {
    const { lackingCodes, movesWrites } = this.options
    const code = exceptionCodeOf(head)
    if (isLeavingAnswer(head)) this.abandon('leaving')
    else if (lackingCodes.has(code)) this.abandon('lacking')
    else if (movesWrites && code === readOnlyCode) this.abandon('writes')
    else {
      this.head = head
      queueMicrotask(() => this.putHead())
    }
  }

  onBody(bytes: Buffer): void {
    if (this.isOver) return
    if (!this.isHeadOut && this.first === null) this.first = bytes
    else this.put(bytes)
  }

  onRead(bytes: Buffer): void {
    this.given = bytes
  }

  onEnd(): void {
    if (this.isOver) return
    const { response, body } = this.exchange
    const { first } = this
    this.first = null
    if (this.isHeadOut) response.end()
    else if (this.writeHead(this.isHeadOnly ? null : (first?.length ?? 0))) {
      this.exchange.sentBytes += first?.length ?? 0
      if (first) endWith(response, first)
      else response.end()
    }
    body.drop()
    this.finish('answered')
  }

  onLost(_error: Error, wasConnected: boolean): void {
    if (this.head) {
      this.putHead()
      this.exchange.breakOff(this.head)
      this.finish('answered')
    } else this.finish(wasConnected ? 'lost' : 'unsent')
  }

  onDrain(): void {
    this.exchange.body.resume()
  }

  private putHead(): void {
    if (this.isHeadOut || this.isOver || !this.writeHead(null)) return
    const { first } = this
    this.first = null
    if (first) this.put(first)
    else this.exchange.response.flushHeaders()
  }

  private put(bytes: Buffer): void {
    const { exchange, connection, given } = this
    this.putHead()
    exchange.sentBytes += bytes.length
    this.given = null
    // When these bytes are sent, the earlier ones are too.
    const onSent: OnSent = (error) => given === null || error || releaseBuffer(given)
    if (exchange.response.write(bytes, onSent) || this.isPaused) return
    this.isPaused = true
    connection.pause()
    exchange.response.once('drain', () => {
      this.isPaused = false
      connection.resume()
    })
  }

  /** `length` is in bytes, null = as the replica declared. False = the head cannot be sent. */
  private writeHead(length: number | null): boolean {
    const { head, exchange } = this
    this.isHeadOut = true
    try {
      if (head)
        exchange.response.writeHead(head.status, head.statusText, answerHeaders(head, exchange, length))
      return true
    } catch {
      exchange.response.destroy()
      return false
    }
  }

  private abandon(outcome: Outcome): void {
    this.connection.destroy()
    this.finish(outcome)
  }

  private finish(outcome: Outcome): void {
    if (this.isOver) return
    this.isOver = true
    this.waiting?.abort()
    this.exchange.onGone = nothing
    this.resolve(outcome)
  }
}

const nothing = (): void => {}
