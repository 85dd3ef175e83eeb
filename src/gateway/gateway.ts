import type { EndpointActivity } from '../domain/service/endpoint.ts'
import type { Clock } from '../lib/clock.ts'
import { createIpMatcher } from '../lib/ip-list.ts'
import type { Log } from '../lib/running.ts'
import { createBodyWatch } from './door/body-watch.ts'
import { createFrontDoor } from './door/front-door.ts'
import { type Listener, openListener } from './door/listener.ts'
import { createLogins } from './door/logins.ts'
import { createOriginCheck } from './door/origins.ts'
import { type Asking, createAsking } from './internal/ask.ts'
import type { GatewayLookups } from './lookups.ts'
import { createAccessCache } from './routing/access.ts'
import { createActivities } from './routing/activity.ts'
import { createHeldRequests } from './routing/held-requests.ts'
import { createOwnWrites } from './routing/own-writes.ts'
import { createRoutes, type OpenUpstream } from './routing/routes.ts'
import { type ServeDependencies, serveQuery } from './routing/serve-query.ts'
import { createSessions } from './routing/sessions.ts'
import { createUnseen } from './routing/unseen.ts'

export interface GatewayOptions {
  host: string
  /** PEM; absent = plain HTTP. */
  tls?: { cert: string | Buffer; key: string | Buffer }
  clock: Clock
  log: Log
  lookups: GatewayLookups
  /** Addresses and CIDR ranges of proxies whose X-Forwarded-For is believed. */
  proxies?: readonly string[]
  /** Origins of pages that may send statements, as `https://host`; `*` = all. */
  origins?: readonly string[]
  /** How many requests may be held until services come up: for one service, and for all. */
  maxHeldPerService?: number
  maxHeldRequests?: number
  /** Absent = all addresses are those of our own replicas. */
  openUpstream?: OpenUpstream
  /** How long running requests may continue when an endpoint is closed. */
  drainMs?: number
}

/**
 * The endpoints of the services: one port each, which speaks ClickHouse's HTTP interface. The gateway
 * authenticates requests, wakes sleeping services, and sends each query to a suitable replica. It knows
 * replicas only by their addresses.
 */
export interface Gateway {
  /** Resolves with the port when it is open; port 0 = any free port. Idempotent for the same port. */
  open(service: { serviceId: string; port: number }): Promise<{ port: number }>
  /** Resolves when the endpoint is fully closed. */
  close(serviceId: string): Promise<void>
  /** The service, its access or its replicas changed: cached knowledge of it is looked up again. */
  refresh(serviceId: string): void
  /** The intent of this service changed, and with it perhaps its access rules. */
  forgetAccess(serviceId: string): void
  /** A user or a password of this service changed. */
  forgetLogins(serviceId: string): void
  /** The access or the logins of any service may have changed. */
  forgetAll(): void
  activity(serviceId: string): Readonly<EndpointActivity>
  /** Sends a statement of the product itself, see internal/ask.ts. */
  ask: Asking['ask']
  /** Refuses held requests, lets running ones end within the limit, and closes all endpoints for good. */
  stop(limitMs?: number): Promise<void>
}

export function createGateway(options: GatewayOptions): Gateway {
  const { host, tls, clock, log, lookups, drainMs = 10_000 } = options
  const { maxHeldPerService = 1_000, maxHeldRequests = 4_000 } = options
  const listeners = new Map<string, Listener>()
  const turns = new Map<string, Promise<unknown>>()
  const users = createActivities()
  /** Statements that do not count as activity; only those that run now matter. */
  const background = createActivities()
  let isStopped = false
  const access = createAccessCache({ clock, lookups })
  const routes = createRoutes({ clock, lookups, openUpstream: options.openUpstream })
  const logins = createLogins({ clock, lookups })
  const bodies = createBodyWatch({ clock })
  const heldRequests = createHeldRequests({
    clock,
    log,
    lookups,
    access,
    routes,
    maxPerService: maxHeldPerService,
    maxTotal: maxHeldRequests,
  })
  const serving: ServeDependencies = {
    clock,
    log,
    lookups,
    access,
    routes,
    heldRequests,
    sessions: createSessions(),
    ownWrites: createOwnWrites({ clock, lagMs: () => lookups.readerLagMs() }),
    writes: createUnseen(clock),
    removals: createUnseen(clock),
  }
  const receive = createFrontDoor({
    clock,
    log,
    access,
    bodies,
    logins,
    routes,
    isProxy: createIpMatcher(options.proxies ?? []),
    isOriginAllowed: createOriginCheck(options.origins ?? []),
    activityOf: users.of,
    serve: (query) => serveQuery(serving, query),
  })

  const asking = createAsking({
    clock,
    log,
    activityOf: (serviceId, isCounted) => (isCounted ? users : background).of(serviceId),
    serve: (query) => serveQuery(serving, query),
  })

  return {
    open: ({ serviceId, port }) =>
      inTurn(serviceId, async () => {
        if (isStopped) return { port }
        const current = listeners.get(serviceId)
        if (current && (port === 0 || current.port === port)) return { port: current.port }
        await close(serviceId, drainMs)
        const listener = await openListener({
          host,
          port,
          ...(tls ? { tls } : {}),
          clock,
          onError: (error) => log.error({ err: error, serviceId }, 'an endpoint has trouble'),
          receive: (request, response) => receive(serviceId, request, response),
        })
        listeners.set(serviceId, listener)
        return { port: listener.port }
      }),
    close: (serviceId) =>
      inTurn(serviceId, async () => {
        await close(serviceId, drainMs)
        users.forget(serviceId)
        background.forget(serviceId)
        refresh(serviceId)
        routes.drop(serviceId)
      }),
    refresh,
    forgetAccess: access.forget,
    forgetLogins: logins.forget,
    forgetAll() {
      access.forgetAll()
      logins.forgetAll()
    },
    ask: asking.ask,
    activity: (serviceId) => ({
      ...users.of(serviceId),
      held: heldRequests.heldBy(serviceId),
      background: background.of(serviceId).inFlight,
    }),
    async stop(limitMs = drainMs) {
      isStopped = true
      heldRequests.stop()
      const all = new Set([...listeners.keys(), ...turns.keys()])
      const endpoints = [...all].map((serviceId) => inTurn(serviceId, () => close(serviceId, limitMs)))
      await Promise.all([...endpoints, asking.stop(limitMs)])
      bodies.stop()
      routes.close()
    },
  }

  /** Runs the operations on one endpoint one after the other. */
  function inTurn<T>(serviceId: string, work: () => Promise<T>): Promise<T> {
    const before = turns.get(serviceId) ?? Promise.resolve()
    const mine = before.then(work, work)
    turns.set(serviceId, mine)
    const leave = () => {
      if (turns.get(serviceId) === mine) turns.delete(serviceId)
    }
    mine.then(leave, leave)
    return mine
  }

  async function close(serviceId: string, limitMs: number): Promise<void> {
    const listener = listeners.get(serviceId)
    listeners.delete(serviceId)
    await listener?.close(limitMs)
  }

  function refresh(serviceId: string): void {
    access.forget(serviceId)
    routes.forget(serviceId)
    heldRequests.changed(serviceId)
  }
}
