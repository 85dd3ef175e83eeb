import type { Clock } from '../../lib/clock.ts'
import { releaseBuffer } from '../../lib/release-buffer.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { AnswerHead } from './answer-parser.ts'
import type { Call, Connection, OnSent } from './connection.ts'
import { answerHeaders, exceptionCodeOf, isLeavingAnswer } from './forwarded-heads.ts'
import type { Asker, Upstream } from './upstream.ts'

/**
 * What became of sending a request to a replica. `answered`: the client has the answer, or a broken one, or is
 * gone. `unsent`: the replica cannot have seen it. `leaving`: it refused because it is about to end. `lost`: it
 * went away without an answer, and nobody knows what it did. `lacking`: it does not have what the query needs.
 * `writes`: it is a reader, and refused a statement that writes.
 */
export type Outcome = 'answered' | 'unsent' | 'leaving' | 'lost' | 'lacking' | 'writes'

export interface ForwardOptions {
  exchange: Exchange
  upstream: Upstream
  asker: Asker
  /** A write wants to be sure that what it is sent on is alive. */
  isFresh: boolean
  /** Errors that another replica may not have: the outcome is then `lacking`, and the client has seen nothing. */
  lackingCodes: ReadonlySet<number>
  /** A reader that refuses to write is no answer: the outcome is then `writes`, and the client has seen nothing. */
  movesWrites: boolean
  clock: Clock
}

/** Sends a request to a replica and its answer to the client, both as they come, each no faster than it is taken. */
export const forward = (options: ForwardOptions): Promise<Outcome> =>
  new Promise((resolve) => new Forwarding(options, resolve).start())

// RFC 9110 §10.1.1: who expects 100 need not wait for it for ever.
const continueWaitMs = 1_000
/** READONLY */
const readOnlyCode = 164
/** Smaller bodies go out together with the head. */
const maxJoinedBytes = 4096

class Forwarding implements Call {
  readonly isHeadOnly: boolean
  private readonly options: ForwardOptions
  private readonly exchange: Exchange
  private readonly text: string
  private readonly connection: Connection
  private readonly resolve: (outcome: Outcome) => void
  private head: AnswerHead | null = null
  /** The first bytes wait for the turn's end: an answer that came in one piece goes out in one piece. */
  private first: Buffer | null = null
  /** The last bytes off the connection, of which every part was given to the client. */
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
      // Until the replica says that it takes the body, another one can still be given it.
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
    // A server that says so by itself may refuse in the same breath.
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
      // As text it goes out in one write with the head.
      if (first && first.length <= maxJoinedBytes) response.end(first.toString('latin1'), 'latin1')
      else response.end(first ?? undefined)
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
    // What was given before has been sent when this has.
    const onSent: OnSent = (error) => given === null || error || releaseBuffer(given)
    if (exchange.response.write(bytes, onSent) || this.isPaused) return
    this.isPaused = true
    connection.pause()
    exchange.response.once('drain', () => {
      this.isPaused = false
      connection.resume()
    })
  }

  /** `length` is in bytes, null = as the replica told. False when the answer cannot be given on. */
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
