import { type Refusal, refusals } from '../exchange/refusal.ts'
import { leastBusy, type Replica } from './routes.ts'
import type { ServiceTarget } from './service-target.ts'

/**
 * `any`: any replica of the service; `writer`: the warehouse's writer; `writerFirst`: the writer if it is
 * awake, because only it knows everything about the tables; `ownWrites`: the writer, if it is available,
 * because the client wrote a moment ago.
 */
export type Need = 'any' | 'writer' | 'writerFirst' | 'ownWrites'

export interface RouteQuestion {
  need: Need
  /** The service that the client asked. */
  own: ServiceTarget
  /** The service whose replicas write: `own`, or the primary service of the warehouse. */
  primary: ServiceTarget
  /** The id of the replica that is preferred if it has the needed ability; '' = none. */
  preferred: string
  nowMs: number
}

export type RouteAnswer =
  | { to: Replica }
  /** Wait until this service changes; `wake` = it sleeps and must be woken first. */
  | { waitFor: string; wake: boolean }
  | { refuse: Refusal }

export function chooseRoute(question: RouteQuestion): RouteAnswer {
  const { need, own, primary } = question
  const closed = refusalOf(own, 'The service')
  if (closed) return { refuse: closed }
  if (need === 'writer') return toWriter(question)
  if (need !== 'any') {
    const writer = pick(question, primary, 'canWrite')
    if (writer) return { to: writer }
    // After the lag has passed, the need changes and any replica will do.
    if (need === 'ownWrites' && isComing(primary)) return waitFor(primary, 'The service')
  }
  const replica = pick(question, own, 'canRead')
  return replica ? { to: replica } : waitFor(own, 'The service')
}

function toWriter(question: RouteQuestion): RouteAnswer {
  const { own, primary } = question
  const name =
    primary === own ? 'The service' : 'The primary service of the warehouse, which takes all writes,'
  const closed = refusalOf(primary, name)
  if (closed) return { refuse: closed }
  const writer = pick(question, primary, 'canWrite')
  return writer ? { to: writer } : waitFor(primary, name)
}

function pick(
  { preferred, nowMs }: RouteQuestion,
  { access, routes: { replicas } }: ServiceTarget,
  ability: 'canRead' | 'canWrite',
): Replica | undefined {
  // Replicas of a service that was put to sleep are about to end.
  if (!access || access.asleep || access.power === 'off') return undefined
  const able = replicas.filter((replica) => replica[ability] && replica.restsUntilMs <= nowMs)
  return able.find(({ id }) => id === preferred) ?? leastBusy(able)
}

function waitFor({ access, routes }: ServiceTarget, name: string): RouteAnswer {
  if (!access) return { refuse: refusals.gone() }
  if (access.state === 'failed' && !access.asleep && routes.replicas.length === 0) {
    return {
      refuse: refusals.unavailable(routes.problem ? `${name} failed: ${routes.problem}` : `${name} failed`),
    }
  }
  return { waitFor: access.serviceId, wake: access.asleep || access.state === 'idle' }
}

/** The refusal if waiting would not help. */
function refusalOf({ access }: ServiceTarget, name: string): Refusal | null {
  if (!access || access.state === 'terminating') return refusals.gone()
  if (access.power === 'off') return refusals.unavailable(`${name} is stopped and must be started first`)
  return null
}

/** Whether the service is up, or soon will be without a wake. */
const isComing = ({ access }: ServiceTarget): boolean =>
  access !== null && access.power === 'on' && !access.asleep && !settledDown.has(access.state)

const settledDown: ReadonlySet<string> = new Set(['idle', 'failed', 'terminating'])
