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
  /** Time limit of one attempt. */
  timeoutMs: number
  retry: RetryLimits
}

export type Transport = (request: HttpRequest) => Promise<HttpAnswer>

/**
 * Sends one request. A GET is repeated on 429, 503 and a refused connection, where the server has done nothing
 * yet. All other methods are sent once, since an answer may be lost after the request took effect.
 */
export function createTransport({
  fetch,
  clock,
  random,
  timeoutMs,
  retry,
}: TransportDependencies): Transport {
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      request.signal?.throwIfAborted()
      const isLast = request.method !== 'GET' || attempt >= retry.attempts
      const wait = (leastMs: number) =>
        clock.sleep(Math.max(leastMs, backoffMs(attempt, { ...retry, random })), request.signal)
      try {
        const answer = await exchange(request)
        if (isLast || (answer.status !== 429 && answer.status !== 503)) return answer
        const retryAfterMs = readRetryAfter(answer.headers.get('retry-after'), clock.now())
        if (retryAfterMs > retry.maxRetryAfterMs) return answer
        await wait(retryAfterMs)
      } catch (error) {
        if (isLast || !isRefused(error)) throw error
        await wait(0)
      }
    }
  }

  async function exchange({ url, signal, ...init }: HttpRequest): Promise<HttpAnswer> {
    const timeout = new AbortController()
    const finished = new AbortController()
    void clock.sleep(timeoutMs, finished.signal).then(() => timeout.abort())
    try {
      const response = await fetch(url, {
        ...init,
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
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
