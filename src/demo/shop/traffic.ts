import { createRandom } from './random.ts'

/** A shop whose traffic depends on nothing but these numbers and the time. */
export interface Shop {
  seed: number
  /** When the demo was started: one incident lies some hours before. */
  epochMs: number
  /** Requests in a week. */
  weeklyRequests: number
}

/** One service of the shop answers slowly, or not at all. */
export interface Incident {
  service: ServiceName
  /** From 0 to 1: it comes quickly and goes slowly. */
  strength: number
}

export const serviceNames = [
  'storefront',
  'search',
  'recommendations',
  'cart',
  'checkout',
  'payments',
] as const
export type ServiceName = (typeof serviceNames)[number]

const minuteMs = 60_000
const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
const weekSeconds = 7 * 86_400

/** The unit of the generator: what happens in a slot follows from the slot's number. */
export const slotMs = 10_000

const firstIncidentMs = 5 * hourMs
/** Not a divisor of a day, so that incidents wander over the hours. */
const incidentEveryMs = 26 * hourMs
const riseMs = 4 * minuteMs
/** The one that is shown first is in payments. */
const troubled: readonly ServiceName[] = ['payments', 'search', 'checkout', 'storefront', 'recommendations']

export function incidentAt({ seed, epochMs }: Shop, timeMs: number): Incident | null {
  const number = Math.floor((timeMs - (epochMs - firstIncidentMs)) / incidentEveryMs)
  const sinceMs = timeMs - (epochMs - firstIncidentMs) - number * incidentEveryMs
  const random = createRandom(seed, 77, number)
  const lastsMs = (35 + 30 * random.next()) * minuteMs
  if (sinceMs > lastsMs) return null
  const index = ((number % troubled.length) + troubled.length) % troubled.length
  const peak = number === 0 ? 1 : 0.45 + 0.5 * random.next()
  const rise = Math.min(1, sinceMs / riseMs)
  const fall = Math.min(1, (lastsMs - sinceMs) / (lastsMs / 2))
  return { service: troubled[index] ?? 'payments', strength: peak * rise * fall }
}

/** Requests per second. */
export function rateAt(shop: Shop, timeMs: number): number {
  return (shop.weeklyRequests / weekSeconds) * rhythmAt(timeMs) * wobbleAt(shop, timeMs)
}

/** How many requests begin in a slot. */
export function requestsIn(shop: Shop, slot: number): number {
  const expected = (rateAt(shop, slot * slotMs) * slotMs) / 1000
  const random = createRandom(shop.seed, 1, slot)
  if (expected > 30) return Math.max(0, Math.round(expected + random.normal() * Math.sqrt(expected)))
  // Poisson's distribution, after Knuth.
  const limit = Math.exp(-expected)
  let count = 0
  for (let product = random.next(); product > limit; product *= random.next()) count++
  return count
}

/** The whole slots of a span of time, whose ends are multiples of a slot. */
export function* slotsOf(fromMs: number, toMs: number): Generator<number> {
  for (let slot = fromMs / slotMs; slot < toMs / slotMs; slot++) yield slot
}

/** Quiet nights, busy evenings, and weekends with a third less; 1 on average. */
function rhythmAt(timeMs: number): number {
  const hour = (timeMs % dayMs) / hourMs
  const evening = (1 + Math.cos((2 * Math.PI * (hour - 19)) / 24)) / 2
  const noon = Math.exp(-((hour - 12) ** 2) / 5)
  const daily = 0.34 + 1.12 * evening ** 1.4 + 0.32 * noon
  const weekend = [-3, -1, 1, 3].filter((hours) => isWeekend(timeMs + hours * hourMs)).length / 4
  return 1.265 * daily * (1 - 0.36 * weekend)
}

/** 1970 began on a Thursday. */
const isWeekend = (timeMs: number): boolean => (Math.floor(timeMs / dayMs) + 5) % 7 <= 1

/** Slow drift and five-minute noise. */
function wobbleAt({ seed }: Shop, timeMs: number): number {
  const step = 5 * minuteMs
  const index = Math.floor(timeMs / step)
  const between = (timeMs % step) / step
  const at = (number: number) => createRandom(seed, 2, number).normal()
  return 1 + 0.035 * (at(index) * (1 - between) + at(index + 1) * between)
}
