import type { Clock } from '../../lib/clock.ts'
import { endsWithin, type Log } from '../../lib/running.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { GatewayLookups } from '../lookups.ts'
import type { AccessCache } from './access.ts'
import type { Routes } from './routes.ts'

/**
 * Requests that are held until a service can take them. Their number is bounded, and their bodies stay on the
 * connection. However many are held for a service, it is woken once and polled by one loop.
 */
export interface HeldRequests {
  /** Takes a place among the held requests; null = none is free. */
  enter(exchange: Exchange, askedId: string): HeldRequest | null
  /** Called when this service changed. */
  changed(serviceId: string): void
  /** How many requests to this service's endpoint are held. */
  heldBy(serviceId: string): number
  /** Releases all held requests, and holds no more. */
  stop(): void
}

export interface HeldRequest {
  /** Resolves with true when the caller should look again or the client is gone, with false when the time is up. */
  wait(serviceId: string, wake: boolean, deadlineMs: number): Promise<boolean>
  leave(): void
}

export interface HeldDependencies {
  clock: Clock
  log: Log
  lookups: Pick<GatewayLookups, 'wake'>
  access: AccessCache
  routes: Routes
  maxPerService: number
  maxTotal: number
}

/**
 * How long a request may be held. Common clients time out after 30 s: up to 25 s, waiting is better than an
 * error; after that, a clear error is better than the client's timeout. Where a wake is known to take longer,
 * only clients with longer timeouts succeed at all, and they get twice the estimate.
 */
export const holdLimitMs = (wakeEstimateMs: number): number =>
  Math.max(25_000, Math.min(2 * wakeEstimateMs, 300_000))

const firstLookMs = 20
const maxLookMs = 500
const lookLimitMs = 2_000
/** A wake that had no effect is repeated after this time. */
const wakeAgainMs = 5_000

interface Watch {
  serviceId: string
  members: number
  waiting: Set<() => void>
  isWakeWanted: boolean
  isWaking: boolean
  wokenAtMs: number
  pause: AbortController
}

export function createHeldRequests(dependencies: HeldDependencies): HeldRequests {
  const { clock, log, lookups, access, routes, maxPerService, maxTotal } = dependencies
  const watches = new Map<string, Watch>()
  const held = new Map<string, number>()
  let total = 0
  let isStopped = false

  return {
    enter(exchange, askedId) {
      const count = held.get(askedId) ?? 0
      if (count >= maxPerService || total >= maxTotal) return null
      held.set(askedId, count + 1)
      total += 1
      const sinceMs = clock.now()
      let watch: Watch | null = null
      return {
        async wait(serviceId, wake, deadlineMs) {
          if (isStopped || clock.now() >= deadlineMs) return false
          if (watch?.serviceId !== serviceId) {
            part(watch)
            watch = join(serviceId)
          }
          watch.isWakeWanted ||= wake
          await nextLook(exchange, watch)
          return !isStopped
        },
        leave() {
          part(watch)
          exchange.heldMs = (exchange.heldMs ?? 0) + clock.now() - sinceMs
          total -= 1
          const left = (held.get(askedId) ?? 1) - 1
          if (left > 0) held.set(askedId, left)
          else held.delete(askedId)
        },
      }
    },
    changed: (serviceId) => watches.get(serviceId)?.pause.abort(),
    heldBy: (serviceId) => held.get(serviceId) ?? 0,
    stop() {
      isStopped = true
      for (const watch of watches.values()) release(watch)
    },
  }

  function nextLook(exchange: Exchange, { waiting }: Watch): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        waiting.delete(go)
        exchange.onGone = () => {}
        resolve()
      }
      waiting.add(go)
      exchange.onGone = go
    })
  }

  function release({ waiting }: Watch): void {
    for (const go of [...waiting]) go()
  }

  function join(serviceId: string): Watch {
    const watch = watches.get(serviceId) ?? begin(serviceId)
    watch.members += 1
    return watch
  }

  function part(watch: Watch | null): void {
    if (!watch) return
    watch.members -= 1
    if (watch.members > 0) return
    watches.delete(watch.serviceId)
    watch.pause.abort()
  }

  function begin(serviceId: string): Watch {
    const watch: Watch = {
      serviceId,
      members: 0,
      waiting: new Set(),
      isWakeWanted: false,
      isWaking: false,
      wokenAtMs: Number.NEGATIVE_INFINITY,
      pause: new AbortController(),
    }
    watches.set(serviceId, watch)
    void look(watch)
    return watch
  }

  async function look(watch: Watch): Promise<void> {
    const { serviceId } = watch
    let pauseMs = firstLookMs
    // The request that begins the watch joins it only after this call.
    await null
    while (watch.members > 0 && !isStopped) {
      if (watch.isWakeWanted) wakeOnce(watch)
      watch.isWakeWanted = false
      watch.pause = new AbortController()
      access.forget(serviceId)
      routes.forget(serviceId)
      await endsWithin(clock, lookLimitMs, Promise.allSettled([access.get(serviceId), routes.get(serviceId)]))
      release(watch)
      await clock.sleep(pauseMs, watch.pause.signal)
      pauseMs = Math.min(maxLookMs, pauseMs * 1.5)
    }
  }

  function wakeOnce(watch: Watch): void {
    if (watch.isWaking || clock.now() - watch.wokenAtMs < wakeAgainMs) return
    const { serviceId } = watch
    watch.isWaking = true
    lookups
      .wake(serviceId)
      .then(() => {
        watch.wokenAtMs = clock.now()
        watch.pause.abort()
      })
      .catch((error: unknown) => log.warn({ err: error, serviceId }, 'a service could not be woken'))
      .finally(() => {
        watch.isWaking = false
      })
  }
}
