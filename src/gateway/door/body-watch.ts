import type { Clock } from '../../lib/clock.ts'
import type { HttpExchange } from './http-exchange.ts'

/**
 * Ends requests whose clients stop sending in the middle of a body, because such a request would keep its
 * service awake for good. Only time in which the gateway waits for the client counts, not time in which a
 * replica takes no more bytes or a whole request waits for its answer.
 */
export interface BodyWatch {
  add(exchange: HttpExchange): void
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
    const nowMs = clock.now()
    const bytes = exchange.request.socket.bytesRead
    if (bytes !== progress.bytes || !exchange.isBodyAwaited) {
      watched.set(exchange, { bytes, sinceMs: nowMs })
    } else if (nowMs - progress.sinceMs >= bodyStallMs) {
      watched.delete(exchange)
      exchange.giveUp(bodyStallMs)
    }
  }

  return {
    add(exchange) {
      const { request, body } = exchange
      if (body.isWhole) return
      watched.set(exchange, { bytes: request.socket.bytesRead, sinceMs: clock.now() })
      request.once('close', () => watched.delete(exchange))
      void look()
    },
    stop: () => stopped.abort(),
  }
}
