/**
 * The memory use of a service, as peaks of five minutes kept for thirty hours: plain data of at most 361
 * buckets, so that it can be stored as JSON and survive a restart. All values are those of the service's
 * largest replica. Time in which nothing was observed (idle, stopped, control plane down) leaves no bucket,
 * because it says nothing about use, neither low nor high; so an idle service keeps its size.
 */
export interface UsageHistory {
  /** When observation began; null = nothing has been observed yet. */
  sinceMs: number | null
  /** Oldest first, at most one for each start. */
  buckets: readonly UsageBucket[]
}

export interface UsageBucket {
  startMs: number
  peakQueryBytes: number
  peakResidentBytes: number
  /** Divided by `samples`: the mean resident memory, which tells steady use from spikes. */
  sumResidentBytes: number
  samples: number
  /** Queries that failed at the memory limit, and the highest limit that they hit. */
  outOfMemory: number
  outOfMemoryBytes: number
  /** The most memory that a replica held when it was killed for it; 0 = none was killed. */
  crashResidentBytes: number
}

/** What was observed since the previous sample. When nothing could be observed, no sample is recorded. */
export interface UsageSample {
  /** The most that queries held together in one replica. */
  queryBytes: number
  /** The most that one replica's process held. */
  residentBytes: number
  /** Queries that failed at the replica's memory limit; those that failed at a limit of their own do not count. */
  outOfMemory: number
  /** The limit that these queries hit, even if all memory is free again when the sample is taken. */
  outOfMemoryBytes: number
  /** What a replica held when it was killed for its memory; 0 = none was killed. */
  crashResidentBytes: number
}

export interface Peaks {
  peakQueryBytes: number
  peakResidentBytes: number
  meanResidentBytes: number
  outOfMemory: number
  outOfMemoryBytes: number
  crashResidentBytes: number
  /** How much of the window was observed, in whole buckets. */
  coveredMs: number
}

export const usageBucketMs = 5 * 60_000
export const usageKeptMs = 30 * 3_600_000

export const emptyUsageHistory: UsageHistory = { sinceMs: null, buckets: [] }

/**
 * A copy of the history with one more sample and without expired buckets. A sample covers all the time since
 * `sinceMs`, including buckets that ended before `nowMs`.
 */
export function recordUsage(
  history: UsageHistory,
  sample: UsageSample,
  nowMs: number,
  sinceMs = nowMs,
): UsageHistory {
  const startMs = startOf(nowMs)
  const earlier = [...history.buckets, ...missing(history, sample, startOf(sinceMs), startMs)].filter(
    (bucket) => bucket.startMs < startMs && endsAfter(bucket, nowMs - usageKeptMs),
  )
  // Buckets in the future are from before the clock was set back: their peaks were real, their times were not.
  const same = history.buckets.filter((bucket) => bucket.startMs >= startMs)
  const last = { ...[...same, bucketOf(sample)].reduce(merge), startMs }
  return {
    sinceMs: history.sinceMs === null ? nowMs : Math.min(history.sinceMs, nowMs),
    buckets: [...earlier, last],
  }
}

/** Buckets for the time that a sample covers but its last bucket, which alone counts failures. */
function missing(
  { buckets }: UsageHistory,
  sample: UsageSample,
  fromMs: number,
  toMs: number,
): UsageBucket[] {
  const nextMs = Math.max(fromMs, toMs - usageKeptMs, (buckets.at(-1)?.startMs ?? fromMs) + usageBucketMs)
  const count = Math.max(0, (toMs - nextMs) / usageBucketMs)
  const bucket = bucketOf({ ...sample, outOfMemory: 0, crashResidentBytes: 0 })
  return Array.from({ length: count }, (_, index) => ({ ...bucket, startMs: nextMs + index * usageBucketMs }))
}

/** Combines the replicas of one service into one sample: the largest of each value, the sum of the failures. */
export function largestUsage(replicas: readonly UsageSample[]): UsageSample {
  const largest = (field: keyof UsageSample) =>
    Math.max(0, ...replicas.map((replica) => count(replica[field])))
  return {
    queryBytes: largest('queryBytes'),
    residentBytes: largest('residentBytes'),
    outOfMemory: replicas.reduce((sum, replica) => sum + count(replica.outOfMemory), 0),
    outOfMemoryBytes: largest('outOfMemoryBytes'),
    crashResidentBytes: largest('crashResidentBytes'),
  }
}

/** The buckets that overlap the window before `nowMs`, oldest first. */
export function bucketsOver(
  { buckets }: UsageHistory,
  windowMs: number,
  nowMs: number,
): readonly UsageBucket[] {
  return buckets.filter((bucket) => bucket.startMs <= nowMs && endsAfter(bucket, nowMs - windowMs))
}

export function peaksOver(history: UsageHistory, windowMs: number, nowMs: number): Peaks {
  const buckets = bucketsOver(history, windowMs, nowMs)
  const { startMs: _, sumResidentBytes, samples, ...peaks } = buckets.reduce(merge, nothing)
  return {
    ...peaks,
    meanResidentBytes: samples === 0 ? 0 : sumResidentBytes / samples,
    coveredMs: Math.min(
      windowMs,
      buckets.length * usageBucketMs,
      Math.max(0, nowMs - (history.sinceMs ?? nowMs)),
    ),
  }
}

const nothing: UsageBucket = {
  startMs: 0,
  peakQueryBytes: 0,
  peakResidentBytes: 0,
  sumResidentBytes: 0,
  samples: 0,
  outOfMemory: 0,
  outOfMemoryBytes: 0,
  crashResidentBytes: 0,
}

function bucketOf(sample: UsageSample): UsageBucket {
  const residentBytes = count(sample.residentBytes)
  const outOfMemory = count(sample.outOfMemory)
  return {
    startMs: 0,
    peakQueryBytes: count(sample.queryBytes),
    peakResidentBytes: residentBytes,
    sumResidentBytes: residentBytes,
    samples: 1,
    outOfMemory,
    outOfMemoryBytes: outOfMemory > 0 ? count(sample.outOfMemoryBytes) || residentBytes : 0,
    crashResidentBytes: count(sample.crashResidentBytes),
  }
}

const merge = (a: UsageBucket, b: UsageBucket): UsageBucket => ({
  startMs: a.startMs,
  peakQueryBytes: Math.max(a.peakQueryBytes, b.peakQueryBytes),
  peakResidentBytes: Math.max(a.peakResidentBytes, b.peakResidentBytes),
  sumResidentBytes: a.sumResidentBytes + b.sumResidentBytes,
  samples: a.samples + b.samples,
  outOfMemory: a.outOfMemory + b.outOfMemory,
  outOfMemoryBytes: Math.max(a.outOfMemoryBytes, b.outOfMemoryBytes),
  crashResidentBytes: Math.max(a.crashResidentBytes, b.crashResidentBytes),
})

const startOf = (timeMs: number) => Math.floor(timeMs / usageBucketMs) * usageBucketMs

const endsAfter = (bucket: UsageBucket, timeMs: number) => bucket.startMs + usageBucketMs > timeMs

/** Values of a failed probe count as 0, so that they do not distort a peak for thirty hours. */
const count = (value: number) => (Number.isFinite(value) && value > 0 ? Math.round(value) : 0)
