import type { Refusal } from './refusal.ts'
import type { RequestBody } from './request-body.ts'
import type { RequestHeaders } from './request-headers.ts'
import type { RequestTarget } from './request-target.ts'

/**
 * A request and its answer, from the moment it came to the moment whoever asked has all of it or goes away. Routing and
 * upstreams see nothing else of it, whether a client asks over HTTP or a part of the product from within.
 */
export interface Exchange {
  readonly method: string
  readonly target: RequestTarget
  readonly headers: RequestHeaders
  readonly body: RequestBody
  readonly response: AnswerStream
  /** Where the client is; '' = within the product. */
  readonly address: string
  /** Whoever asked went away before it had its answer. */
  readonly isGone: boolean
  /** Called once when whoever asked goes away; whoever waits puts itself here, the last one wins. */
  onGone: () => void
  /** Called once when nothing more will happen. */
  onClosed: () => void
  /** How long it waited for a service to come up; null = not at all. */
  heldMs: number | null
  sentBytes: number
  refuse(refusal: Refusal): void
  /** Lets out what was written and then breaks the answer off, so that nobody can take it for the end. */
  breakOff(answer: BrokenAnswer): void
}

export interface BrokenAnswer {
  /** In bytes, as it was told; null = not told. */
  contentLength: number | null
  /** Names and values in turn. */
  headers: readonly string[]
}

/** Where an answer goes; Node's `ServerResponse` is one. */
export interface AnswerStream {
  readonly statusCode: number
  /** `headers` holds names and values in turn. Throws when the head cannot be given on. */
  writeHead(status: number, statusText: string, headers: string[]): unknown
  flushHeaders(): void
  /** False = wait for `drain`. `onSent` is called when nobody reads the bytes any more, if ever. */
  write(bytes: Buffer, onSent: (error?: Error | null) => void): boolean
  end(): unknown
  end(bytes: Buffer | undefined): unknown
  end(text: string, encoding: 'latin1'): unknown
  once(event: 'drain', listener: () => void): unknown
  destroy(): unknown
}

/** Tells a client why its answer took longer than others: how many milliseconds it waited for the service. */
export const coldStartHeader = 'X-Granary-Cold-Start'
