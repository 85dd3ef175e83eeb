import type { EngineSpec } from '../engine.ts'
import type { Limits } from './limits.ts'

/** What a service wants from its warehouse. */
export type ServiceWish = Pick<
  EngineSpec,
  'serviceId' | 'role' | 'power' | 'replicas' | 'memoryBytesPerReplica' | 'durableInserts'
> & {
  /** The service is being destroyed: none of its processes may run. */
  removing: boolean
  /** A job in the writer must not be interrupted: whatever the power, the writer runs and keeps its settings. */
  holdsWriter: boolean
  /** The restore is not done yet: no process but a held writer may run. */
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
  /** `ending` = the process was asked or forced to end, and still exists. */
  phase: 'starting' | 'serving' | 'ending'
  /** When the process entered its phase; Infinity = it waits in the start queue. */
  sinceMs: number
  /** When the first request since the last answer went unanswered; null = the process answers. */
  silentSinceMs: number | null
  /** Why the engine serves nobody; '' = it serves. With an error, the process counts as silent. */
  engineError: string
  /** The process refuses statements although this control plane did not ask it to end: another caller did. */
  draining: boolean
  /** When the process was last killed; null = not yet. */
  killedAtMs: number | null
  /** How long the process's queries may continue after it is asked to end. */
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
  /** When to plan again if nothing happens before; Infinity = never. */
  lookAgainAtMs: number
}

export interface Situation {
  services: readonly ServiceWish[]
  processes: readonly ProcessView[]
  /** The earliest next start of replicas that failed. */
  notBeforeMs: ReadonlyMap<string, number>
  nowMs: number
}

export type PlanLimits = Pick<
  Limits,
  'startDeadlineMs' | 'silentDeadlineMs' | 'sickDeadlineMs' | 'endGraceMs'
>

/** Between two kills of the same process: the kernel may delay its end. */
const killAgainMs = 2_000

/**
 * The next steps of a warehouse, from what is wanted and what runs. Pure: the same situation gives the same
 * steps, and a situation in which they were taken gives none.
 *
 * - At most one writer, ever: a writer starts only when no process is left that is or was one.
 * - A reader of another size starts beside the old one, which ends when the new one serves.
 * - A process that fails is replaced; one that does not answer in time is killed first.
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
    // The end of a process triggers the next plan. The end of a killed process also sets a backoff.
    if (isServed || forced.has(wish.replicaId) || (wish.role === 'writer' && isWritten)) continue
    const earliestMs = notBeforeMs.get(wish.replicaId) ?? 0
    if (nowMs < earliestMs) lookAt(earliestMs)
    else actions.push({ type: 'start', replica: wish, reason: 'is wanted' })
  }
  return { actions, lookAgainAtMs }
}

/** All replicas that should run. The first replica of the primary service writes, all others read. */
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

/** Whether the process has the wished role and settings, serving or not. */
export const fits = (process: ProcessView, { role, memoryBytes, durableInserts }: ReplicaWish): boolean =>
  process.role === role &&
  process.memoryBytes === memoryBytes &&
  // Readers never insert.
  (role === 'reader' || process.durableInserts === durableInserts)

/** Whether a process that is not ending already is, or is becoming, what the wish asks for. */
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

/** '' = the process continues. */
function whyEnd(
  process: ProcessView,
  wish: ReplicaWish | undefined,
  services: readonly ServiceWish[],
  rest: readonly ProcessView[],
): string {
  if (!wish) return whyUnwanted(services.find(({ serviceId }) => serviceId === process.serviceId))
  if (wish.role !== process.role) return `is to be a ${wish.role}`
  // A draining process ends by itself; asking again starts its deadline here.
  if (process.draining) return 'turns statements away'
  const others = rest.filter((other) => other.replicaId === process.replicaId && other !== process)
  const better = others.find((other) => isGood(other, wish) && isBetter(other, process, wish))
  if (better) return `epoch ${better.epoch} has taken over`
  if (fits(process, wish)) return ''
  if (process.role === 'writer' && isHeld(process, services)) return ''
  // Two writers cannot overlap, so an unfit writer ends first. A serving reader waits for its replacement.
  if (process.role === 'reader' && process.phase === 'serving') return ''
  return process.memoryBytes === wish.memoryBytes ? 'gets other settings' : 'gets another memory limit'
}

/** A held writer gets its new settings after the hold. */
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

/** Of two processes of one replica, a serving one is better, then the newer one. */
function isBetter(one: ProcessView, other: ProcessView, wish: ReplicaWish): boolean {
  const serves = ({ phase, silentSinceMs }: ProcessView) => phase === 'serving' && silentSinceMs === null
  if (!fits(other, wish)) return serves(one)
  if (serves(one) !== serves(other)) return serves(one)
  return one.epoch > other.epoch
}

const seconds = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`)
