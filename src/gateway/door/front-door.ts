import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EndpointAccess, EndpointActivity } from '../../domain/service/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/running.ts'
import { type Refusal, refusals } from '../exchange/refusal.ts'
import type { AccessCache } from '../routing/access.ts'
import type { Routes } from '../routing/routes.ts'
import type { Query } from '../routing/serve-query.ts'
import type { BodyWatch } from './body-watch.ts'
import { HttpExchange } from './http-exchange.ts'
import type { Logins } from './logins.ts'
import type { createOriginCheck } from './origins.ts'

export interface FrontDoorDependencies {
  clock: Clock
  log: Log
  access: AccessCache
  bodies: BodyWatch
  logins: Logins
  routes: Routes
  /** Whether this address is a trusted proxy, whose `X-Forwarded-For` is believed. */
  isProxy(address: string): boolean
  isOriginAllowed: ReturnType<typeof createOriginCheck>
  activityOf(serviceId: string): EndpointActivity
  serve(query: Query): Promise<void>
}

/**
 * The checks of every request to an endpoint, in this order: the IP access list, the origin of the page, the
 * password; only then may the request wake a service. Health checks need no password, and neither wake a
 * service nor count as use of it.
 */
export function createFrontDoor(dependencies: FrontDoorDependencies) {
  const { clock, log, access, bodies, logins, routes, activityOf, serve } = dependencies
  let toldAtMs = Number.NEGATIVE_INFINITY
  let untold = 0

  return function receive(serviceId: string, request: IncomingMessage, response: ServerResponse): void {
    const exchange = new HttpExchange(request, response, dependencies)
    bodies.add(exchange)
    admit(serviceId, exchange).catch((error: unknown) => {
      tell(serviceId, error)
      exchange.refuse(refusals.notYet('The request cannot be carried out at the moment', 1_000))
    })
  }

  async function admit(serviceId: string, exchange: HttpExchange): Promise<void> {
    const known = await access.get(serviceId)
    if (!known) return refuse(serviceId, exchange, refusals.gone())
    const { address, headers, method, target } = exchange
    if (!known.admits(address)) return refuse(serviceId, exchange, refusals.addressNotAllowed(address))
    if (isHealthCheck(exchange)) return answerHealth(known.access, exchange)
    const isQuery = target.path === '/' && queryMethods.has(method)
    if (!isQuery) return exchange.answer(404, noHandle)
    if (method === 'POST' && !dependencies.isOriginAllowed(headers)) {
      return refuse(serviceId, exchange, refusals.originNotAllowed(headers.origin ?? ''))
    }
    const login = await logins.check(serviceId, exchange)
    if ('role' in login) return serve({ exchange, serviceId, user: login.user, role: login.role, activityOf })
    const isBrowserAsked = exchange.headers.authorization !== 'never'
    const refusal =
      'problem' in login
        ? refusals.loginFailed(login.problem, isBrowserAsked)
        : refusals.tooManyFailedLogins(login.retryAfterMs)
    refuse(serviceId, exchange, refusal)
  }

  /** While the store is down, every request fails: the log gets one error per second, with their number. */
  function tell(serviceId: string, error: unknown): void {
    untold += 1
    if (clock.now() - toldAtMs < 1_000) return
    log.error({ err: error, serviceId, requests: untold }, 'requests to an endpoint failed')
    toldAtMs = clock.now()
    untold = 0
  }

  function refuse(serviceId: string, exchange: HttpExchange, refusal: Refusal): void {
    activityOf(serviceId).refused += 1
    exchange.refuse(refusal)
  }

  async function answerHealth(service: EndpointAccess, exchange: HttpExchange): Promise<void> {
    const { state, power, asleep } = service
    // An endpoint that refuses every query is unhealthy, even if the gateway is healthy.
    if (power === 'off' || state === 'terminating' || state === 'failed') {
      return exchange.answer(503, `The service is ${power === 'off' ? 'stopped' : state}.\n`)
    }
    if (exchange.target.path === '/replicas_status' && !asleep && state !== 'idle') {
      const { replicas } = await routes.get(service.serviceId)
      if (!replicas.some(({ canRead }) => canRead)) return exchange.answer(503, 'No replica can answer.\n')
    }
    exchange.answer(200, 'Ok.\n')
  }
}

function isHealthCheck({ method, target }: HttpExchange): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const { path, queries } = target
  return path === '/ping' || path === '/replicas_status' || (path === '/' && queries.length === 0)
}

const queryMethods = new Set(['GET', 'HEAD', 'POST'])

const noHandle = `There is no handle of this name.

Use / or /ping for health checks.
Or /replicas_status for more sophisticated health checks.

Send queries from your program with POST method or GET /?query=...
`
