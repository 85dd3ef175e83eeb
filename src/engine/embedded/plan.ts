import type { EngineSpec } from '../engine.ts'
import type { Limits } from './limits.ts'

/** What a service wants of its warehouse. */
export type ServiceWish = Pick<
  EngineSpec,
  'serviceId' | 'role' | 'power' | 'replicas' | 'memoryBytesPerReplica' | 'durableInserts'
> & {
  /** It is being destroyed: nothing of it may run. */
  removing: boolean
  /** Something is done in its writer that must not be torn: it runs whatever the power, and as it is. */
  holdsWriter: boolean
  /** What it begins with is not in its tables yet: nothing but a writer that is held may run. */
  restoring: boolean
}

/** A process of the warehouse that is not known to be gone. */
export interface ProcessView {
  replicaId: string
  epoch: number
  serviceId: string
  role: 'writer' | 'reader'
  memoryBytes: number
  durableInserts: boolean
  /** `ending` = it was asked to end, gently or not, and is still there. */
  phase: 'starting' | 'serving' | 'ending'
  /** When it entered its phase; Infinity = it waits for its turn to start. */
  sinceMs: number
  /** When it was first not answered, since the last answer; null = it answers. */
  silentSinceMs: number | null
  /** Why its engine serves nobody, though the process answers; '' = it does. Since then it counts as silent. */
  engineError: string
  /** It turns statements away without having been asked to: somebody else ends it. */
  draining: boolean
  /** When it was last forced to end; null = not yet. */
  killedAtMs: number | null
  /** How long its queries may go on. */
  drainMs: number
}

export interface ReplicaWish {
  replicaId: string
  serviceId: string
  role: 'writer' | 'reader'
  memoryBytes: number
  durableInserts: boolean
}

export type Action =
  | { type: 'start'; replica: ReplicaWish; reason: string }
  | { type: 'end' | 'kill'; replicaId: string; epoch: number; reason: string }

export interface Plan {
  actions: Action[]
  /** When to look again although nothing happened; Infinity = not needed. */
  lookAgainAtMs: number
}

export interface Situation {
  services: readonly ServiceWish[]
  processes: readonly ProcessView[]
  /** Replicas that failed and must not start before this time. */
  notBeforeMs: ReadonlyMap<string, number>
  nowMs: number
}

export type PlanLimits = Pick<
  Limits,
  'startDeadlineMs' | 'silentDeadlineMs' | 'sickDeadlineMs' | 'endGraceMs'
>

/** Between two attempts to force an end: a process in the kernel's hands ends when the kernel lets it. */
const killAgainMs = 2_000

/**
 * The next steps of a warehouse, from what is wanted and what runs. Pure: the same situation gives the same
 * steps, and a situation in which they were taken gives none.
 *
 * - One writer at most, ever: a writer starts only when no process that is or was one is left.
 * - A reader of another size starts beside the old one, which ends when the new one serves.
 * - What fails is replaced; what does not answer in time is forced to end first.
 */
export function planWarehouse(situation: Situation, limits: PlanLimits): Plan {
  const { services, processes, notBeforeMs, nowMs } = situation
  const wishes = wishesOf(services)
  const wanted = new Map(wishes.map((wish) => [wish.replicaId, wish]))
  const actions: Action[] = []
  let lookAgainAtMs = Number.POSITIVE_INFINITY
  const lookAt = (atMs: number) => {
    lookAgainAtMs = Math.min(lookAgainAtMs, atMs)
  }

  const forced = new Set<string>()
  const rest = processes.filter((process) => {
    const { replicaId, epoch } = process
    const deadline = deadlineOf(process, limits)
    if (process.killedAtMs !== null || nowMs >= deadline.atMs) forced.add(replicaId)
    if (nowMs < deadline.atMs) {
      lookAt(deadline.atMs)
      return process.phase !== 'ending'
    }
    actions.push({ type: 'kill', replicaId, epoch, reason: deadline.reason })
    lookAt(nowMs + killAgainMs)
    return false
  })
  for (const process of rest) {
    const { replicaId, epoch } = process
    const reason = whyEnd(process, wanted.get(replicaId), services, rest)
    if (reason !== '') actions.push({ type: 'end', replicaId, epoch, reason })
  }
  for (const wish of wishes) {
    const isServed = rest.some((process) => process.replicaId === wish.replicaId && isGood(process, wish))
    const isWritten = processes.some(({ role }) => role === 'writer')
    // An end is an event, and the next look comes with it. One that was forced tells how long to wait, too.
    if (isServed || forced.has(wish.replicaId) || (wish.role === 'writer' && isWritten)) continue
    const earliestMs = notBeforeMs.get(wish.replicaId) ?? 0
    if (nowMs < earliestMs) lookAt(earliestMs)
    else actions.push({ type: 'start', replica: wish, reason: 'is wanted' })
  }
  return { actions, lookAgainAtMs }
}

/** All replicas that should run. The first one of the primary service writes, everything else reads. */
export function wishesOf(services: readonly ServiceWish[]): ReplicaWish[] {
  return services.flatMap((service) =>
    Array.from({ length: countOf(service) }, (_, index) => ({
      replicaId: replicaIdOf(service.serviceId, index),
      serviceId: service.serviceId,
      role: service.role === 'primary' && index === 0 ? ('writer' as const) : ('reader' as const),
      memoryBytes: service.memoryBytesPerReplica,
      durableInserts: service.durableInserts,
    })),
  )
}

function countOf({ role, power, replicas, removing, holdsWriter, restoring }: ServiceWish): number {
  if (removing) return 0
  const held = holdsWriter && role === 'primary' ? 1 : 0
  return power === 'on' && !restoring ? Math.max(replicas, held) : held
}

export const replicaIdOf = (serviceId: string, index: number): string => `${serviceId}-${index}`

/** Whether it is what was wished for, apart from whether it serves yet. */
export const fits = (process: ProcessView, { role, memoryBytes, durableInserts }: ReplicaWish): boolean =>
  process.role === role &&
  process.memoryBytes === memoryBytes &&
  // A reader inserts nothing.
  (role === 'reader' || process.durableInserts === durableInserts)

/** Of processes that are not ending: it is, or is becoming, what was wished for. */
const isGood = (process: ProcessView, wish: ReplicaWish): boolean => !process.draining && fits(process, wish)

function deadlineOf(
  { phase, sinceMs, silentSinceMs, engineError, killedAtMs, drainMs }: ProcessView,
  { startDeadlineMs, silentDeadlineMs, sickDeadlineMs, endGraceMs }: PlanLimits,
): { atMs: number; reason: string } {
  if (killedAtMs !== null) return { atMs: killedAtMs + killAgainMs, reason: 'is still there' }
  switch (phase) {
    case 'starting':
      return { atMs: sinceMs + startDeadlineMs, reason: `did not serve within ${seconds(startDeadlineMs)}` }
    case 'serving': {
      const missedAtMs = silentSinceMs ?? Number.POSITIVE_INFINITY
      if (engineError !== '') {
        return { atMs: missedAtMs + sickDeadlineMs, reason: `takes no new connection: ${engineError}` }
      }
      const atMs = missedAtMs + silentDeadlineMs
      return { atMs, reason: `has not answered for ${seconds(silentDeadlineMs)}` }
    }
    case 'ending':
      return { atMs: sinceMs + drainMs + endGraceMs, reason: 'did not end in time' }
  }
}

/** '' = it goes on. */
function whyEnd(
  process: ProcessView,
  wish: ReplicaWish | undefined,
  services: readonly ServiceWish[],
  rest: readonly ProcessView[],
): string {
  if (!wish) return whyUnwanted(services.find(({ serviceId }) => serviceId === process.serviceId))
  if (wish.role !== process.role) return `is to be a ${wish.role}`
  // Whoever drains ends by itself; asking again makes it ours to watch.
  if (process.draining) return 'turns statements away'
  const others = rest.filter((other) => other.replicaId === process.replicaId && other !== process)
  const better = others.find((other) => isGood(other, wish) && isBetter(other, process, wish))
  if (better) return `epoch ${better.epoch} has taken over`
  if (fits(process, wish)) return ''
  if (process.role === 'writer' && isHeld(process, services)) return ''
  // Two writers cannot overlap: this one ends before the next begins. A reader that serves goes on until then.
  if (process.role === 'reader' && process.phase === 'serving') return ''
  return process.memoryBytes === wish.memoryBytes ? 'gets other settings' : 'gets another memory limit'
}

/** It gets its new settings when that is over. */
function isHeld({ serviceId }: ProcessView, services: readonly ServiceWish[]): boolean {
  return services.some((service) => service.serviceId === serviceId && service.holdsWriter)
}

function whyUnwanted(service: ServiceWish | undefined): string {
  if (!service) return 'belongs to no service'
  if (service.removing) return 'the service is being removed'
  if (service.restoring) return 'the service is restored anew'
  if (service.power === 'on') return 'is one too many'
  return service.power === 'idle' ? 'the service goes to sleep' : 'the service stops'
}

/** Of two processes for one replica: one that serves is better than one that does not yet, then the newer one. */
function isBetter(one: ProcessView, other: ProcessView, wish: ReplicaWish): boolean {
  const serves = ({ phase, silentSinceMs }: ProcessView) => phase === 'serving' && silentSinceMs === null
  if (!fits(other, wish)) return serves(one)
  if (serves(one) !== serves(other)) return serves(one)
  return one.epoch > other.epoch
}

const seconds = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`)
