import type { UserRole } from '../domain/service/user.ts'
import type { Clock } from '../lib/clock.ts'
import type { AccessCache, KnownService } from './access.ts'
import type { EndpointActivity } from './activity.ts'
import { chooseRoute, type Need, type Place } from './choose-route.ts'
import type { Exchange } from './exchange.ts'
import { forward, type Outcome } from './forward.ts'
import type { Hold, Holds } from './hold.ts'
import { askEveryone } from './kill.ts'
import type { GatewayLookups } from './lookups.ts'
import type { Client, OwnWrites } from './own-writes.ts'
import { lackingCodes, needOf } from './query-need.ts'
import { readQueryText } from './query-text.ts'
import { type Refusal, refusals } from './refusal.ts'
import type { Replica, Routes, ServiceRoutes } from './routes.ts'
import { type Sessions, sessionKey } from './sessions.ts'
import { planStatement, type StatementPlan } from './statement-plan.ts'

/** A query of a user who may ask it. */
export interface Query {
  exchange: Exchange
  serviceId: string
  user: string
  role: UserRole
}

export interface ServeDependencies {
  clock: Clock
  lookups: Pick<GatewayLookups, 'wakeEstimateMs'>
  access: AccessCache
  routes: Routes
  holds: Holds
  sessions: Sessions
  ownWrites: OwnWrites
  activityOf(serviceId: string): EndpointActivity
}

/** Finds a replica for a query, waits for one where it must, and answers; again as often as that does no harm. */
export const serveQuery = (dependencies: ServeDependencies, query: Query): Promise<void> =>
  new QueryRun(dependencies, query).run()

/** So much of a body is kept: to read the statement, and to send a small one again. */
const maxKeptBytes = 256 * 1024
/** A query that replicas die of must not take all of them with it. */
const maxLosses = 3

class QueryRun {
  private readonly dependencies: ServeDependencies
  private readonly exchange: Exchange
  private readonly serviceId: string
  private readonly user: string
  private readonly role: UserRole
  private readonly client: Client
  private readonly session: string
  private readonly stats: EndpointActivity
  private plan: StatementPlan | null
  private hold: Hold | null = null
  private deadlineMs = 0
  private losses = 0
  private isLacking = false

  constructor(dependencies: ServeDependencies, { exchange, serviceId, user, role }: Query) {
    const { target, headers, address } = exchange
    this.dependencies = dependencies
    this.exchange = exchange
    this.serviceId = serviceId
    this.user = user
    this.role = role
    this.client = { serviceId, user, address, userAgent: headers.userAgent }
    this.session = target.sessionId === '' ? '' : sessionKey(serviceId, user, target.sessionId)
    this.stats = dependencies.activityOf(serviceId)
    this.plan = target.query === null || target.query.trim() === '' ? null : planStatement(target.query)
    this.count()
  }

  async run(): Promise<void> {
    const { exchange, serviceId, dependencies } = this
    for (;;) {
      const known = await dependencies.access.get(serviceId)
      const own: Place = { access: known?.access ?? null, routes: await this.routesOf(serviceId) }
      const { need, preferred } = this.need(known)
      const primary = await this.primaryOf(known, own, need)
      if (exchange.isGone) return this.hold?.leave()
      const route = chooseRoute({ need, own, primary, preferred, nowMs: dependencies.clock.now() })
      if ('refuse' in route) return this.refuse(route.refuse)
      if ('waitFor' in route) {
        const refusal = await this.wait(route.waitFor, route.wake)
        if (refusal) return this.refuse(refusal)
        continue
      }
      this.hold?.leave()
      this.hold = null
      // Only now: a body is not taken off the connection while its request waits.
      if (await this.readBody()) continue
      const plan = this.plan ?? planStatement(null)
      const { to: replica } = route
      const ownHeaders = this.headers(known)
      if (this.session !== '' && replica.serviceId === serviceId) {
        dependencies.sessions.note(this.session, replica.id)
      }
      if (plan.isKill && exchange.body.isWhole) return askEveryone(exchange, own.routes.replicas, ownHeaders)
      const outcome = await this.send(replica, plan, ownHeaders)
      if (plan.isWrite && !this.isReadOnly(known)) dependencies.ownWrites.note(this.client, replica.id)
      if (outcome === 'answered') return
      const refusal = this.afterFailure(outcome, plan)
      if (refusal) return this.refuse(refusal)
    }
  }

  private need(known: KnownService | null): { need: Need; preferred: string } {
    const { dependencies, session } = this
    return needOf({
      plan: this.plan,
      isPrimary: known?.access.isPrimary ?? true,
      isReadOnly: this.isReadOnly(known),
      isSequential: this.exchange.target.isSequential,
      hasSession: session !== '',
      sessionAt: session === '' ? '' : dependencies.sessions.find(session),
      wroteTo: dependencies.ownWrites.find(this.client),
      isLacking: this.isLacking,
    })
  }

  /** In ClickHouse a GET changes nothing, whoever sends it. */
  private isReadOnly(known: KnownService | null): boolean {
    return (
      known?.access.readOnly === true || this.role === 'readOnly' || this.exchange.request.method === 'GET'
    )
  }

  private headers(known: KnownService | null): string {
    const session = this.session === '' ? '' : `X-Granary-Session: ${this.session}\r\n`
    return `X-Granary-User: ${this.user}\r\nX-Granary-Access: ${this.isReadOnly(known) ? 'ro' : 'rw'}\r\n${session}`
  }

  private async primaryOf(known: KnownService | null, own: Place, need: Need): Promise<Place> {
    if (!known || known.access.isPrimary || need === 'any') return own
    const { primaryServiceId } = known.access
    const primary = await this.dependencies.access.get(primaryServiceId)
    return { access: primary?.access ?? null, routes: await this.routesOf(primaryServiceId) }
  }

  /** An engine that cannot tell has, for now, nothing to send to. */
  private async routesOf(serviceId: string): Promise<ServiceRoutes> {
    try {
      return await this.dependencies.routes.get(serviceId)
    } catch {
      return { power: 'unknown', problem: '', replicas: [] }
    }
  }

  /** null = look again. */
  private async wait(serviceId: string, wake: boolean): Promise<Refusal | null> {
    const { clock, lookups, holds } = this.dependencies
    if (!this.hold) {
      this.hold = holds.enter(this.exchange, this.serviceId)
      if (!this.hold) return refusals.tooManyWaiting()
      if (this.exchange.heldMs === null) this.stats.coldStarts += 1
      this.deadlineMs = clock.now() + holdLimitMs(lookups.wakeEstimateMs())
    }
    if (await this.hold.wait(serviceId, wake, this.deadlineMs)) return null
    return refusals.notYet('The service is not up yet, try again', lookups.wakeEstimateMs())
  }

  /** True when more is known of the statement than before, so that another replica may be needed. */
  private async readBody(): Promise<boolean> {
    const { body } = this.exchange
    const { plan } = this
    if (!body.isWhole && (plan === null || plan.isRepeatable) && body.isUntouched) {
      await body.keep(maxKeptBytes, (bytes) => plan === null && this.planOf(bytes).isSettled)
    }
    if (plan !== null) return false
    this.plan = this.planOf(body.bytes)
    const isSimple = this.plan.need === 'any' && this.dependencies.ownWrites.find(this.client) === ''
    return !isSimple || this.exchange.isGone
  }

  private planOf(bytes: Buffer): StatementPlan {
    const { headers, target } = this.exchange
    return planStatement(readQueryText(bytes, headers, target.hasCompressedBody))
  }

  private async send(replica: Replica, plan: StatementPlan, ownHeaders: string): Promise<Outcome> {
    const { exchange, dependencies, serviceId } = this
    const { clock, access, routes } = dependencies
    const mayLack = !replica.canWrite && plan.isRepeatable && !this.isLacking && this.session === ''
    // What runs elsewhere in the warehouse keeps that service awake too.
    const other = replica.serviceId === serviceId ? null : dependencies.activityOf(replica.serviceId)
    if (other) other.inFlight += 1
    const outcome = await forward({
      exchange,
      replica,
      ownHeaders,
      isFresh: !plan.isRepeatable,
      lackingCodes: mayLack && exchange.body.isWhole ? lackingCodes : noCodes,
      clock,
    })
    if (other) {
      other.inFlight -= 1
      other.lastQueryEndedAtMs = clock.now()
    }
    if (outcome === 'answered' || outcome === 'lacking') routes.worked(replica)
    else {
      if (outcome === 'leaving') routes.leaving(replica)
      else routes.failed(replica)
      // It may have been put to sleep or stopped meanwhile.
      access.forget(replica.serviceId)
    }
    return outcome
  }

  /** null = try again. */
  private afterFailure(outcome: Outcome, { isRepeatable }: StatementPlan): Refusal | null {
    const { body } = this.exchange
    this.stats.retries += 1
    if (outcome === 'lacking') this.isLacking = true
    if (outcome === 'lost') {
      this.losses += 1
      if (!isRepeatable) return refusals.lost(lostWrite)
      if (!body.isWhole || this.losses >= maxLosses) return refusals.lost(lostRead)
    }
    return body.hasPassed
      ? refusals.notYet('The replica went away before it took the statement', 1_000)
      : null
  }

  private refuse(refusal: Refusal): void {
    this.hold?.leave()
    this.hold = null
    this.exchange.refuse(refusal)
  }

  private count(): void {
    const { exchange, stats, dependencies } = this
    stats.inFlight += 1
    stats.queries += 1
    exchange.onClosed = () => {
      stats.inFlight -= 1
      stats.lastQueryEndedAtMs = dependencies.clock.now()
      stats.receivedBytes += exchange.body.receivedBytes
      stats.sentBytes += exchange.sentBytes
      if (exchange.isGone || exchange.response.statusCode >= 500) stats.failed += 1
    }
  }
}

/**
 * How long a request may wait. Well-known clients give up after 30 s by themselves: up to 25 s waiting is better
 * than an error, after that a clear one is better than theirs. Where waking is known to take longer than that, only
 * clients that were set up for it come through at all, and they are given twice the estimate.
 */
export const holdLimitMs = (wakeEstimateMs: number): number =>
  Math.max(25_000, Math.min(2 * wakeEstimateMs, 300_000))

const noCodes: ReadonlySet<number> = new Set()
const lostRead = 'The replicas that ran the query went away before they answered'
const lostWrite =
  'The replica went away while it ran the statement: whether it took effect is not known, and it was not sent again'
