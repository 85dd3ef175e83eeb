import type { Refusal } from './refusal.ts'
import type { RequestBody } from './request-body.ts'
import type { RequestHeaders } from './request-headers.ts'
import type { RequestTarget } from './request-target.ts'

/**
 * A request and its answer, from its arrival until the caller has the whole answer or goes away. Routing and
 * upstreams see nothing else of it, whether the caller is a client over HTTP or a part of the product.
 */
export interface Exchange {
  readonly method: string
  readonly target: RequestTarget
  readonly headers: RequestHeaders
  readonly body: RequestBody
  readonly response: AnswerStream
  /** The client's address; '' = the caller is a part of the product. */
  readonly address: string
  /** The caller went away before it had its answer. */
  readonly isGone: boolean
  /** Called once when the caller goes away. It has one listener at a time: the code that waits replaces it. */
  onGone: () => void
  /** Called once when the exchange is over. */
  onClosed: () => void
  /** How long the request was held until a service came up; null = it was not held. */
  heldMs: number | null
  /** Called with true when the request begins to be held, and with false when it goes on. */
  onHeld?(isHeld: boolean): void
  sentBytes: number
  /** The id of the replica that the request was sent to last; '' = none. */
  servedBy: string
  refuse(refusal: Refusal): void
  /** Sends what was written, and then breaks the answer off such that the caller cannot take it for complete. */
  breakOff(answer: BrokenAnswer): void
}

export interface BrokenAnswer {
  /** In bytes, as the replica declared; null = not declared. */
  contentLength: number | null
  /** Names and values in turn. */
  headers: readonly string[]
}

/** The destination of an answer; Node's `ServerResponse` is one. */
export interface AnswerStream {
  readonly statusCode: number
  /** `headers` holds names and values in turn. Throws when the head cannot be sent. */
  writeHead(status: number, statusText: string, headers: string[]): unknown
  flushHeaders(): void
  /** False = wait for `drain`. `onSent` is called when the bytes' memory may be reused, if ever. */
  write(bytes: Buffer, onSent: (error?: Error | null) => void): boolean
  end(): unknown
  end(bytes: Buffer | undefined): unknown
  end(text: string, encoding: 'latin1'): unknown
  once(event: 'drain', listener: () => void): unknown
  destroy(): unknown
}

/** Tells a client how many milliseconds its request was held until the service came up. */
export const coldStartHeader = 'X-Granary-Cold-Start'
