import type { EngineObservation, ReplicaObservation } from '../../engine/engine.ts'
import type { Clock } from '../../lib/clock.ts'
import type { GatewayLookups } from '../lookups.ts'
import { createReplicaUpstream } from '../upstream/replica-upstream.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { createRecent } from './recent.ts'

/** One replica as the gateway knows it. A restarted replica is a new one: its earlier failures are forgotten. */
export interface Replica {
  readonly id: string
  readonly serviceId: string
  readonly upstream: Upstream
  canRead: boolean
  canWrite: boolean
  /** The replica shows every change that was complete before this time. */
  seesUntilMs: number
  /** Requests of this gateway that the replica is answering. */
  inFlight: number
  /** A counter over the requests to all replicas: its value at this replica's last request. */
  lastTurn: number
  /** The gateway sends nothing to the replica before this time, because it failed or is about to end. */
  restsUntilMs: number
  failures: number
}

export interface ServiceRoutes {
  /** What is wrong with the service, for a person; '' = nothing. */
  problem: string
  replicas: readonly Replica[]
}

/**
 * Where requests can go: the engine's last observation, and what the gateway itself has found out since. The
 * engine is not asked for each request; `forget` is called when something changes.
 */
export interface Routes {
  get(serviceId: string): ServiceRoutes | Promise<ServiceRoutes>
  forget(serviceId: string): void
  worked(replica: Replica): void
  failed(replica: Replica): void
  leaving(replica: Replica): void
  /** Closes the connections to a service that gets no more requests. */
  drop(serviceId: string): void
  close(): void
}

/** Creates the upstream for a replica's address. */
export type OpenUpstream = (address: string, clock: Clock) => Upstream

const maxAgeMs = 5_000
const staleMs = 60_000
const maxRestMs = 5_000

export function createRoutes({
  clock,
  lookups,
  openUpstream = createReplicaUpstream,
}: {
  clock: Clock
  lookups: Pick<GatewayLookups, 'observe'>
  openUpstream?: OpenUpstream | undefined
}): Routes {
  const recent = createRecent<ServiceRoutes>({ clock, maxAgeMs, staleMs, isLazy: true, maxEntries: 10_000 })
  const known = new Map<string, Map<string, Replica>>()

  return {
    get: (serviceId) =>
      recent.get(serviceId, async () => update(serviceId, await lookups.observe(serviceId))),
    forget: recent.forget,
    worked(replica) {
      replica.failures = 0
    },
    failed(replica) {
      replica.failures += 1
      rest(replica, Math.min(maxRestMs, 50 * 2 ** replica.failures))
      recent.forget(replica.serviceId)
    },
    leaving(replica) {
      rest(replica, maxRestMs)
      recent.forget(replica.serviceId)
    },
    drop(serviceId) {
      for (const { upstream } of known.get(serviceId)?.values() ?? []) upstream.close()
      known.delete(serviceId)
      recent.forget(serviceId)
    },
    close() {
      for (const replicas of known.values()) for (const { upstream } of replicas.values()) upstream.close()
      known.clear()
      recent.forgetAll()
    },
  }

  function rest(replica: Replica, ms: number): void {
    replica.restsUntilMs = clock.now() + ms
  }

  function update(serviceId: string, { problem, replicas }: EngineObservation): ServiceRoutes {
    const before = known.get(serviceId)
    const now = new Map<string, Replica>()
    for (const observed of replicas) {
      if (observed.address === '') continue
      const key = `${observed.id} ${observed.address} ${observed.startedAtMs}`
      const replica = before?.get(key) ?? meet(serviceId, observed)
      replica.canRead = observed.canRead
      replica.canWrite = observed.canWrite
      replica.seesUntilMs = observed.seesUntilMs ?? Number.POSITIVE_INFINITY
      now.set(key, replica)
    }
    for (const [key, { upstream }] of before ?? []) if (!now.has(key)) upstream.close()
    if (now.size === 0) known.delete(serviceId)
    else known.set(serviceId, now)
    return { problem: problem?.message ?? '', replicas: [...now.values()] }
  }

  function meet(serviceId: string, { id, address, canRead, canWrite }: ReplicaObservation): Replica {
    const upstream = openUpstream(address, clock)
    const unused = { seesUntilMs: 0, inFlight: 0, lastTurn: 0, restsUntilMs: 0, failures: 0 }
    return { id, serviceId, upstream, canRead, canWrite, ...unused }
  }
}

/** The replica with the fewest requests of this gateway; among equals, the one whose last request is oldest. */
export function leastBusy(replicas: readonly Replica[]): Replica | undefined {
  let best: Replica | undefined
  for (const replica of replicas) {
    const isBetter =
      !best ||
      replica.inFlight < best.inFlight ||
      (replica.inFlight === best.inFlight && replica.lastTurn < best.lastTurn)
    if (isBetter) best = replica
  }
  return best
}

/** The id of the replica that steady questions go to: a reader where there is one. */
export function steadyReplica(replicas: readonly Replica[]): string {
  const able = replicas.filter(({ canRead }) => canRead)
  const readers = able.filter(({ canWrite }) => !canWrite)
  const [first = ''] = (readers.length > 0 ? readers : able).map(({ id }) => id).sort()
  return first
}

let turn = 0

/** Counts a request to the replica; the caller later does `inFlight -= 1`. */
export function occupy(replica: Replica): void {
  turn += 1
  replica.lastTurn = turn
  replica.inFlight += 1
}
