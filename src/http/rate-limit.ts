import { AppError } from '../domain/errors.ts'
import type { Clock } from '../lib/clock.ts'

/** The headers that tell a caller how much of its limit is left. Times are in seconds. */
export type RateHeaders = Record<string, number>

/**
 * Counts requests per key in fixed windows. In memory: a restart, or another control plane, starts from zero.
 */
export interface RateLimiter {
  /** Throws 429 with these headers when the key has used up its window. */
  take(keyId: string): RateHeaders
}

export function createRateLimiter(clock: Clock, limit: { requests: number; windowMs: number }): RateLimiter {
  let windowEndsMs = 0
  let used = new Map<string, number>()
  return {
    take(keyId) {
      const nowMs = clock.now()
      if (nowMs >= windowEndsMs) {
        // All keys share the window's edges, so one assignment resets everything.
        windowEndsMs = nowMs + limit.windowMs
        used = new Map()
      }
      const count = (used.get(keyId) ?? 0) + 1
      used.set(keyId, count)
      const resetSeconds = toSeconds(windowEndsMs - nowMs)
      const headers: RateHeaders = {
        'x-ratelimit-limit': limit.requests,
        'x-ratelimit-remaining': Math.max(0, limit.requests - count),
        'x-ratelimit-reset': resetSeconds,
      }
      if (count <= limit.requests) return headers
      throw new RateLimited(`at most ${limit.requests} requests in ${limit.windowMs / 1000} s for each key`, {
        ...headers,
        'retry-after': resetSeconds,
      })
    },
  }
}

/** The answer to an address from which too many logins failed, sent before the credential is checked. */
export const tooManyFailedLogins = (waitMs: number): RateLimited =>
  new RateLimited('too many failed logins from this address', { 'retry-after': toSeconds(waitMs) })

const toSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

export class RateLimited extends AppError {
  constructor(message: string, headers: RateHeaders) {
    super('TOO_MANY_REQUESTS', message, { headers: { ...headers } })
  }
}
