import { backoffMs } from '../lib/backoff.ts'
import type { Clock } from '../lib/clock.ts'
import { localError } from './client-error.ts'

export interface HttpRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
}

/** An answer of any status, read to its end. */
export interface HttpAnswer {
  status: number
  headers: Headers
  text: string
}

/** An answer whose body is read as it comes. Whoever stops to read it early ends the request. */
export interface OpenAnswer {
  status: number
  headers: Headers
  bytes: AsyncIterable<Uint8Array>
}

export interface RetryLimits {
  /** Including the first attempt. */
  attempts: number
  baseMs: number
  maxMs: number
  /** If the server asks for a longer wait than this, the caller gets the server's error instead. */
  maxRetryAfterMs: number
}

export const defaultRetry: RetryLimits = {
  attempts: 4,
  baseMs: 200,
  maxMs: 3_000,
  maxRetryAfterMs: 30_000,
}

export interface TransportDependencies {
  fetch: typeof globalThis.fetch
  clock: Clock
  /** 0 ≤ x < 1. */
  random: () => number
  /** Time limit of one attempt; of an answer that is read as it comes, until it begins. */
  timeoutMs: number
  retry: RetryLimits
}

export interface Transport {
  /** Resolves with the whole answer. */
  send(request: HttpRequest): Promise<HttpAnswer>
  /** Resolves when the answer begins. */
  open(request: HttpRequest): Promise<OpenAnswer>
}

/**
 * Sends one request. A GET is repeated on 429, 503 and a refused connection, where the server has done nothing
 * yet. All other methods are sent once, since an answer may be lost after the request took effect.
 */
export function createTransport(parts: TransportDependencies): Transport {
  const { fetch, clock, random, timeoutMs, retry } = parts
  return {
    send: (request) => attempt(request, readWhole),
    open: (request) => attempt(request, async (response) => readLater(response, request)),
  }

  async function attempt<T>(request: HttpRequest, read: (response: Response) => Promise<T>): Promise<T> {
    for (let count = 1; ; count++) {
      request.signal?.throwIfAborted()
      const isLast = request.method !== 'GET' || count >= retry.attempts
      const wait = (leastMs: number) =>
        clock.sleep(Math.max(leastMs, backoffMs(count, { ...retry, random })), request.signal)
      let retryAfterMs = 0
      try {
        const answer = await exchange(request, async (response) => {
          if (isLast || (response.status !== 429 && response.status !== 503)) return read(response)
          retryAfterMs = readRetryAfter(response.headers.get('retry-after'), clock.now())
          if (retryAfterMs > retry.maxRetryAfterMs) return read(response)
          await response.body?.cancel()
          return null
        })
        if (answer !== null) return answer
      } catch (error) {
        if (isLast || !isRefused(error)) throw error
      }
      await wait(retryAfterMs)
    }
  }

  async function exchange<T>(
    { url, signal, ...init }: HttpRequest,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const timeout = new AbortController()
    const finished = new AbortController()
    void clock.sleep(timeoutMs, finished.signal).then(() => {
      // Here the sleep was cut short: an answer that has begun is not timed.
      if (!finished.signal.aborted) timeout.abort()
    })
    try {
      const response = await fetch(url, {
        ...init,
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      })
      return await read(response)
    } catch (cause) {
      signal?.throwIfAborted()
      const { origin } = new URL(url)
      if (timeout.signal.aborted) {
        throw localError('TIMEOUT', `Granary at ${origin} did not answer within ${timeoutMs / 1000} s`)
      }
      const reason = errorCode(cause)
      const said = reason ? ` (${reason})` : ''
      throw localError('UNREACHABLE', `cannot reach Granary at ${origin}${said}: is it running?`, { cause })
    } finally {
      finished.abort()
    }
  }
}

const readWhole = async (response: Response): Promise<HttpAnswer> => ({
  ...{ status: response.status, headers: response.headers, text: await response.text() },
})

const readLater = (response: Response, request: HttpRequest): OpenAnswer => ({
  ...{ status: response.status, headers: response.headers, bytes: bytesOf(response, request) },
})

/** Through a reader, since not every browser can iterate over a body. */
async function* bytesOf({ body }: Response, { url, signal }: HttpRequest): AsyncGenerator<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } catch (cause) {
    signal?.throwIfAborted()
    const message = `the answer of Granary at ${new URL(url).origin} broke off before its end`
    throw localError('BROKEN_OFF', message, { cause })
  } finally {
    // After the end this does nothing; before, it closes the connection.
    await reader.cancel().catch(() => undefined)
  }
}

/** Seconds or an HTTP date; 0 when absent or unreadable. */
function readRetryAfter(header: string | null, nowMs: number): number {
  if (header === null) return 0
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - nowMs)
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && errorCode(error.cause) === 'ECONNREFUSED'
}

/** fetch says only "fetch failed"; the code of the socket error is in its cause, or in the cause of that. */
function errorCode(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown }
    if (typeof code === 'string') return code
  }
  return ''
}
