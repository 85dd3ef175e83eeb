import type { TimeSpan } from './query-source.ts'

/** The lengths of a bucket that may be asked for. */
export const granularities = {
  '1s': 1,
  '5s': 5,
  '10s': 10,
  '15s': 15,
  '30s': 30,
  '1m': 60,
  '5m': 300,
  '10m': 600,
  '15m': 900,
  '30m': 1800,
  '1h': 3600,
  '2h': 7200,
  '6h': 21_600,
  '12h': 43_200,
  '1d': 86_400,
  '2d': 172_800,
  '7d': 604_800,
  '30d': 2_592_000,
} as const
export type Granularity = keyof typeof granularities

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
