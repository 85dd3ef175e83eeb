import { type Granularity, granularities } from '../../domain/dashboard/query-limits.ts'
import type { TimeSpan } from './query-source.ts'

/** Each step divides most of the later ones, so that zooming out joins whole buckets. */
const automatic = [
  ...([
    '1s',
    '5s',
    '15s',
    '30s',
    '1m',
    '5m',
    '15m',
    '30m',
    '1h',
    '2h',
    '6h',
    '12h',
    '1d',
    '2d',
    '7d',
  ] as const),
  '30d',
] as const

export const mostBuckets = 2000
const wantedBuckets = 80

/** The shortest step that gives at most 80 buckets. */
export function autoGranularity({ startMs, endMs }: TimeSpan): Granularity {
  const fits = (name: Granularity): boolean =>
    Math.ceil((endMs - startMs) / (granularities[name] * 1000)) <= wantedBuckets
  return automatic.find(fits) ?? '30d'
}

/** The span rounded outward to whole buckets. */
export function wholeBuckets({ startMs, endMs }: TimeSpan, stepMs: number): TimeSpan {
  return { startMs: Math.floor(startMs / stepMs) * stepMs, endMs: Math.ceil(endMs / stepMs) * stepMs }
}
