/** Numbers of the questions that a dashboard's readers ask. */
export const queryLimits = {
  /** The last millisecond of the year 9999. */
  latestMs: 253_402_300_799_999,
  groupLimit: 1_000,
  histogramBuckets: 100,
  searchRows: 2_000,
  variables: 50,
  variableValues: 1_000,
  variableTextLength: 1_024,
} as const

/** The lengths of a bucket that may be asked for, in seconds. */
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
export const granularityNames = Object.keys(granularities) as readonly Granularity[]
