import type { Resource } from '../api/resources.ts'
import type { Live } from './page.tsx'

/** The live sign of a page that shows these resources: as old as the oldest of them. */
export function liveOf(...resources: readonly Resource<unknown>[]): Live {
  const times = resources.map((one) => one.answeredAt.value).filter((at) => at !== null)
  return {
    // Whole seconds: the sign is drawn anew only when its words change.
    answeredAt: times.length === 0 ? null : Math.floor(Math.min(...times) / 1000) * 1000,
    isOld: resources.some((one) => one.error.value !== null),
  }
}
