import type { Clock } from '../../lib/clock.ts'
import type { HttpExchange } from './http-exchange.ts'

/**
 * Ends requests whose clients stop sending in the middle of a body, because such a request would keep its
 * service awake for good. Only time in which the gateway waits for the client counts, not time in which a
 * replica takes no more bytes or a whole request waits for its answer.
 */
export interface BodyWatch {
  add(exchange: HttpExchange): void
  /** How many exchanges are watched. */
  readonly size: number
  stop(): void
}

/** A client that sends no byte of its body for this long is given up. */
export const bodyStallMs = 60_000
const lookMs = 5_000

interface Progress {
  bytes: number
  sinceMs: number
}

export function createBodyWatch({ clock }: { clock: Clock }): BodyWatch {
  const watched = new Map<HttpExchange, Progress>()
  const stopped = new AbortController()
  let isLooking = false

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    while (watched.size > 0 && !stopped.signal.aborted) {
      await clock.sleep(lookMs, stopped.signal)
      for (const [exchange, progress] of watched) check(exchange, progress)
    }
    isLooking = false
  }

  function check(exchange: HttpExchange, progress: Progress): void {
    if (exchange.request.complete) {
      watched.delete(exchange)
      return
    }
    const nowMs = clock.now()
    const bytes = exchange.request.socket.bytesRead
    if (bytes !== progress.bytes || !exchange.isBodyAwaited) {
      watched.set(exchange, { bytes, sinceMs: nowMs })
    } else if (nowMs - progress.sinceMs >= bodyStallMs) {
      watched.delete(exchange)
      exchange.giveUp(bodyStallMs)
    }
  }

  function watch(exchange: HttpExchange): void {
    const { request, response } = exchange
    const forget = () => void watched.delete(exchange)
    watched.set(exchange, { bytes: request.socket.bytesRead, sinceMs: clock.now() })
    request.once('close', forget)
    // A request whose body was not read to its end event never emits `close`. Its answer may be sent before the parser
    // has seen that the body is complete.
    response.once('close', () => setImmediate(() => request.complete && forget()))
    void look()
  }

  return {
    add(exchange) {
      const { request, body } = exchange
      if (body.isWhole) return
      // Most bodies come with their heads, and are complete when the parser has read what came.
      setImmediate(() => request.complete || request.destroyed || watch(exchange))
    },
    get size() {
      return watched.size
    },
    stop: () => stopped.abort(),
  }
}
