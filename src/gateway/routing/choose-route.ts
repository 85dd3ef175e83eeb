import { type Refusal, refusals } from '../exchange/refusal.ts'
import { leastBusy, type Replica } from './routes.ts'
import type { ServiceTarget } from './service-target.ts'

/**
 * `any` replica of the service; the warehouse's `writer`; `writerFirst`: the writer if it is awake, because it alone
 * knows everything of the tables; `ownWrites`: the writer because the client wrote a moment ago, if it is to be had.
 */
export type Need = 'any' | 'writer' | 'writerFirst' | 'ownWrites'

export interface RouteQuestion {
  need: Need
  /** The service that was asked. */
  own: ServiceTarget
  /** The service whose replicas write: the same one, or the primary of the warehouse. */
  primary: ServiceTarget
  /** The id of the replica that is taken where it can do what is needed; '' = none. */
  preferred: string
  nowMs: number
}

export type RouteAnswer =
  | { to: Replica }
  /** Until something changes with this service, which is to be woken first when it sleeps. */
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
    // Once the lag has passed, the need is another and any replica will do.
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
  // What still runs of a service that was put to sleep is about to end.
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

/** What no waiting would change. */
function refusalOf({ access }: ServiceTarget, name: string): Refusal | null {
  if (!access || access.state === 'terminating') return refusals.gone()
  if (access.power === 'off') return refusals.unavailable(`${name} is stopped and must be started first`)
  return null
}

/** Whether the service is up, or soon will be without being woken. */
const isComing = ({ access }: ServiceTarget): boolean =>
  access !== null && access.power === 'on' && !access.asleep && !settledDown.has(access.state)

const settledDown: ReadonlySet<string> = new Set(['idle', 'failed', 'terminating'])
