import type { EndpointAccess, EndpointActivity } from '../../domain/service/endpoint.ts'
import type { UserRole } from '../../domain/service/user.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/running.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { type Refusal, refusals } from '../exchange/refusal.ts'
import type { GatewayLookups } from '../lookups.ts'
import { forward, type Outcome } from '../upstream/forward.ts'
import { askEveryone } from '../upstream/kill.ts'
import type { Asker } from '../upstream/upstream.ts'
import type { AccessCache } from './access.ts'
import { countQuery } from './activity.ts'
import { chooseRoute, type Need } from './choose-route.ts'
import { type HeldRequest, type HeldRequests, holdLimitMs } from './held-requests.ts'
import type { Client, OwnWrites } from './own-writes.ts'
import { lackingCodes, needOf } from './query-need.ts'
import { planOfUrl, readPlan } from './read-plan.ts'
import { occupy, type Replica, type Routes, steadyReplica } from './routes.ts'
import { type ServiceTarget, serviceTargetOf } from './service-target.ts'
import { type Sessions, sessionKey } from './sessions.ts'
import { planStatement, type StatementPlan } from './statement-plan.ts'
import type { Unseen } from './unseen.ts'

/** A query of an authenticated user. */
export interface Query {
  exchange: Exchange
  serviceId: string
  user: string
  role: UserRole
  /** See `Question.isSteady`. */
  isSteady?: boolean
  /** The activity record that the query counts for, by the service that it keeps busy. */
  activityOf(serviceId: string): EndpointActivity
}

export interface ServeDependencies {
  clock: Clock
  log: Log
  lookups: Pick<GatewayLookups, 'wakeEstimateMs'>
  access: AccessCache
  routes: Routes
  heldRequests: HeldRequests
  sessions: Sessions
  ownWrites: OwnWrites
  writes: Unseen
  /**
   * TRUNCATE, DROP PARTITION and the like. A reader finds new parts and loses dropped ones at different moments, so it
   * may show old and new rows together: until it has seen the end, all clients read at the writer.
   */
  removals: Unseen
}

/** Finds a replica for a query, waits for one if necessary, and answers; retries as long as that is safe. */
export const serveQuery = (dependencies: ServeDependencies, query: Query): Promise<void> =>
  new QueryRun(dependencies, query).run()

/** A query that crashes replicas must not crash all of them. */
const maxLosses = 3

class QueryRun {
  private readonly dependencies: ServeDependencies
  private readonly exchange: Exchange
  private readonly serviceId: string
  private readonly user: string
  private readonly role: UserRole
  private readonly client: Client
  private readonly session: string
  private readonly isSteady: boolean
  private readonly activityOf: Query['activityOf']
  private readonly stats: EndpointActivity
  private plan: StatementPlan | null
  private held: HeldRequest | null = null
  private deadlineMs = 0
  private losses = 0
  private isLacking = false
  private isBehind = false

  constructor(
    dependencies: ServeDependencies,
    { exchange, serviceId, user, role, isSteady = false, activityOf }: Query,
  ) {
    const { target, headers, address } = exchange
    this.dependencies = dependencies
    this.exchange = exchange
    this.serviceId = serviceId
    this.user = user
    this.role = role
    this.client = { serviceId, user, address, userAgent: headers.userAgent }
    this.session = target.sessionId === '' ? '' : sessionKey(serviceId, user, target.sessionId)
    this.isSteady = isSteady
    this.activityOf = activityOf
    this.stats = activityOf(serviceId)
    this.plan = planOfUrl(exchange)
    countQuery(exchange, this.stats, dependencies.clock)
  }

  async run(): Promise<void> {
    try {
      await this.findAndSend()
    } finally {
      this.held?.leave()
    }
  }

  private async findAndSend(): Promise<void> {
    const { exchange, serviceId, dependencies } = this
    for (;;) {
      const own = await serviceTargetOf(dependencies, serviceId)
      const { access } = own
      const { need, preferred } = this.need(own)
      const isAlone = need === 'any' || !access || access.isPrimary
      const primary = isAlone ? own : await serviceTargetOf(dependencies, access.primaryServiceId)
      if (exchange.isGone) return
      const route = chooseRoute({ need, own, primary, preferred, nowMs: dependencies.clock.now() })
      if ('refuse' in route) return this.refuse(route.refuse)
      if ('waitFor' in route) {
        const refusal = await this.wait(route.waitFor, route.wake)
        if (refusal) return this.refuse(refusal)
        continue
      }
      this.release()
      // Read only now: a held request leaves its body on the connection.
      if (await this.readBody()) continue
      const plan = this.plan ?? planStatement(null)
      const { to: replica } = route
      if (this.session !== '' && replica.serviceId === serviceId) {
        dependencies.sessions.note(this.session, replica.id)
      }
      if (plan.isKill && exchange.body.isWhole) {
        const replicas = await this.whereQueriesRun(own)
        return askEveryone(
          exchange,
          replicas.map(({ upstream }) => upstream),
          this.asker(access),
        )
      }
      const outcome = await this.sendNoted(replica, plan, access)
      if (outcome === 'answered') return
      const refusal = this.afterFailure(outcome, plan)
      if (refusal) return this.refuse(refusal)
    }
  }

  /** Records a write while it runs and when it has ended, for the routing of other queries. */
  private async sendNoted(
    replica: Replica,
    plan: StatementPlan,
    access: EndpointAccess | null,
  ): Promise<Outcome> {
    const { ownWrites, writes, removals } = this.dependencies
    if (!access || !plan.isWrite || this.isReadOnly(access)) return this.send(replica, plan, access)
    const end = writes.begin(access.warehouseId)
    const endRemoval = plan.mayRemove ? removals.begin(access.warehouseId) : nothing
    try {
      return await this.send(replica, plan, access)
    } finally {
      end()
      endRemoval()
      ownWrites.note(this.client, replica.id)
    }
  }

  private need({ access, routes }: ServiceTarget): { need: Need; preferred: string } {
    const { dependencies, session } = this
    const { removals, writes } = dependencies
    const watched = this.isSteady ? [removals, writes] : [removals]
    this.isBehind =
      access !== null && watched.some((kind) => kind.isUnseen(access.warehouseId, routes.replicas))
    // A fresh lookup soon notices when the readers have caught up.
    if (this.isBehind) dependencies.routes.forget(this.serviceId)
    return needOf({
      plan: this.plan,
      isPrimary: access?.isPrimary ?? true,
      isReadOnly: this.isReadOnly(access),
      isSequential: this.exchange.target.isSequential,
      hasSession: session !== '',
      sessionAt: session === '' ? '' : dependencies.sessions.find(session),
      wroteTo: dependencies.ownWrites.find(this.client),
      isBehind: this.isBehind,
      isLacking: this.isLacking,
      steadyAt: this.isSteady ? steadyReplica(routes.replicas) : '',
    })
  }

  /** A secondary service's queries run on its own replicas, and its writes on the warehouse's writer. */
  private async whereQueriesRun({ access, routes }: ServiceTarget): Promise<readonly Replica[]> {
    if (!access || access.isPrimary) return routes.replicas
    const primary = await serviceTargetOf(this.dependencies, access.primaryServiceId)
    return [...routes.replicas, ...primary.routes.replicas.filter(({ canWrite }) => canWrite)]
  }

  /** In ClickHouse a GET or HEAD changes nothing, whoever sends it. */
  private isReadOnly(access: EndpointAccess | null): boolean {
    return access?.readOnly === true || this.role === 'readOnly' || this.exchange.method !== 'POST'
  }

  private asker(access: EndpointAccess | null): Asker {
    return { user: this.user, isReadOnly: this.isReadOnly(access), session: this.session }
  }

  /** null = choose a route again. */
  private async wait(serviceId: string, wake: boolean): Promise<Refusal | null> {
    const { clock, lookups, heldRequests } = this.dependencies
    if (!this.held) {
      this.held = heldRequests.enter(this.exchange, this.serviceId)
      if (!this.held) return refusals.tooManyWaiting()
      if (this.exchange.heldMs === null) this.stats.coldStarts += 1
      this.exchange.onHeld?.(true)
      this.deadlineMs = clock.now() + holdLimitMs(lookups.wakeEstimateMs())
    }
    if (await this.held.wait(serviceId, wake, this.deadlineMs)) return null
    return refusals.notYet('The service is not up yet, try again', lookups.wakeEstimateMs())
  }

  /** True = the body told more about the statement, so another replica may be needed. */
  private async readBody(): Promise<boolean> {
    const { plan, exchange, dependencies } = this
    this.plan = await readPlan(exchange, plan)
    if (plan !== null) return false
    const isFree = !this.isBehind && dependencies.ownWrites.find(this.client) === ''
    return this.plan.need !== 'any' || !isFree || exchange.isGone
  }

  private async send(replica: Replica, plan: StatementPlan, known: EndpointAccess | null): Promise<Outcome> {
    const { exchange, dependencies, serviceId } = this
    const { clock, log, access, routes } = dependencies
    const mayMove = !replica.canWrite && this.session === '' && exchange.body.isWhole
    const mayLack = mayMove && plan.isRepeatable && !this.isLacking
    // A query on another service's replica keeps that service awake too.
    const other = replica.serviceId === serviceId ? null : this.activityOf(replica.serviceId)
    if (other) other.inFlight += 1
    occupy(replica)
    exchange.servedBy = replica.id
    const outcome = await forward({
      exchange,
      upstream: replica.upstream,
      asker: this.asker(known),
      isFresh: !plan.isRepeatable,
      lackingCodes: mayLack ? lackingCodes : noCodes,
      movesWrites: mayMove && !this.isReadOnly(known),
      clock,
    })
    replica.inFlight -= 1
    if (other) {
      other.inFlight -= 1
      other.lastQueryEndedAtMs = clock.now()
    }
    if (outcome === 'answered' || outcome === 'lacking' || outcome === 'writes') routes.worked(replica)
    else {
      if (outcome === 'leaving') routes.leaving(replica)
      else routes.failed(replica)
      // The service may have been put to sleep or stopped meanwhile.
      access.forget(replica.serviceId)
      log.info({ serviceId: replica.serviceId, replicaId: replica.id, outcome }, 'a replica did not answer')
    }
    return outcome
  }

  /** null = try again. */
  private afterFailure(outcome: Outcome, { isRepeatable }: StatementPlan): Refusal | null {
    const { body } = this.exchange
    this.stats.retries += 1
    if (outcome === 'lacking') this.isLacking = true
    // The reader has parsed the statement better than the gateway can.
    if (outcome === 'writes') this.plan = planStatement(null)
    if (outcome === 'lost') {
      this.losses += 1
      if (!isRepeatable) return refusals.lostWrite()
      if (!body.isWhole || this.losses >= maxLosses) return refusals.lostRead()
    }
    return body.hasPassed
      ? refusals.notYet('The replica went away before it took the statement', 1_000)
      : null
  }

  private refuse(refusal: Refusal): void {
    this.release()
    this.exchange.refuse(refusal)
  }

  private release(): void {
    if (!this.held) return
    this.held.leave()
    this.held = null
    this.exchange.onHeld?.(false)
  }
}

const noCodes: ReadonlySet<number> = new Set()
const nothing = (): void => {}
