import { type Runtime, resolveRuntime } from '../src/engine/embedded/runtime.ts'
import type { Measurement } from './main.ts'

const found = resolveRuntime()
/** Why warehouses cannot be measured on this machine; '' = they can. */
export const skip = 'missing' in found ? found.missing : ''
export const emulated = 'emulated' in found && found.emulated

/** BENCH_SCALE=0.001 tests the benches themselves: everything runs, and the numbers mean nothing. */
const given = process.env['BENCH_SCALE'] ?? ''
export const isTrial = given !== ''
const scale = isTrial ? Number(given) : emulated ? 1 / 20 : 1
if (!(scale > 0 && scale <= 1)) throw new Error('BENCH_SCALE must be above 0 and at most 1')

const divisor = Math.round(1 / scale).toLocaleString('en')
export const notes: readonly string[] = [
  ...(emulated ? ['emulated, with our own part of a replica: numbers tell that it works, not how fast'] : []),
  ...(scale < 1 ? [`${isTrial ? 'BENCH_SCALE' : 'emulated'}: sizes divided by ${divisor}`] : []),
]

/** `count` at the scale of this run, but never less than `atLeast`. */
export const sized = (count: number, atLeast = 1): number => Math.max(atLeast, Math.round(count * scale))

/** How often something is repeated. */
export const times = (natively: number, slowly = 3): number => (isTrial ? 1 : emulated ? slowly : natively)

/** The time limit of starts and large queries; beyond it they count as hung. */
export const patienceMs = emulated ? 600_000 : 120_000

export function runtime(): Runtime {
  if ('missing' in found) throw new Error(found.missing)
  return found
}

const unjudged = (): { unjudged?: string } =>
  isTrial ? { unjudged: 'a trial' } : emulated ? { unjudged: 'emulated' } : {}

/** A number that is compared with another number of the same run. */
export const ratio = (what: string, value: number, atLeast: number): Measurement => ({
  ...{ what, value, unit: '×', target: { atLeast } },
  ...unjudged(),
})

/** The same, where less is better. */
export const atMostRatio = (what: string, value: number, atMost: number): Measurement => ({
  ...{ what, value, unit: '×', target: { atMost } },
  ...unjudged(),
})

/** A number that is promised as such, for the engine on its native CPU at full size. */
export const absolute = (what: string, value: number, unit: string, atMost: number): Measurement => ({
  ...{ what, value, unit, target: { atMost } },
  ...unjudged(),
})
