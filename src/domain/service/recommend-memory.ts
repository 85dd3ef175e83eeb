import { replicaMemoryGb } from './limits.ts'
import type { ScalingSpec } from './types.ts'
import { bucketsOver, type Peaks, peaksOver, type UsageHistory } from './usage-history.ts'

/**
 * How much memory each replica should have, from the peaks of a short and a long window. When the short window
 * needs more than the current size, the size goes in one step to what the long window needs; when the short
 * window needs much less, the size goes down to that. Needs in between change nothing, since each change costs
 * caches and a hand-over. CPU is not sized: embedded replicas share the cores of the machine, so there is no
 * share to give or take.
 */
export interface MemoryRecommendation {
  targetGb: number
  action: 'up' | 'down' | 'keep'
  reason: string
  /** The bound of the service that prevents the recommended size. */
  blocked: 'at-max' | 'at-min' | null
}

export interface MemorySituation {
  history: UsageHistory
  /**
   * The size last asked for, also while idle, and since when. Waking or restarting does not change the size.
   */
  current: { replicaMemoryGb: number; sinceMs: number }
  bounds: Pick<ScalingSpec, 'minReplicaMemoryGb' | 'maxReplicaMemoryGb'>
  nowMs: number
}

const shortWindowMs = 3 * 3_600_000
const longWindowMs = 30 * 3_600_000
/** Factor over the peak; `ranOut` is the factor over the memory in use when it ran out. */
const headroom = { steady: 1.25, spiky: 1.1, ranOut: 1.5 } as const
/** Use is steady when its mean is at least this share of its peak. */
const steadyShare = 0.75
/**
 * The size goes down when no more than this share of it is needed, and up when a peak leaves less free than the
 * headroom for spikes; in between it stays.
 */
const lowMark = 2 / 3
/** Use is rising when the short window needs more now than it did this long ago. */
const trendMs = 3_600_000
/** A peak that came this often in the long window is expected to come again. */
const recurrences = 3
const gib = 1024 ** 3

export function recommendMemory({ history, current, bounds, nowMs }: MemorySituation): MemoryRecommendation {
  const { minReplicaMemoryGb: min, maxReplicaMemoryGb: max } = bounds
  const wasGb = current.replicaMemoryGb
  const result = (targetGb: number, reason: string, blocked: MemoryRecommendation['blocked'] = null) => ({
    targetGb,
    action: targetGb > wasGb ? ('up' as const) : targetGb < wasGb ? ('down' as const) : ('keep' as const),
    reason: targetGb === wasGb ? `${reason}; stays at ${wasGb} GB` : `${reason}; was ${wasGb} GB`,
    blocked,
  })
  if (min === max) return result(min, `autoscaling is off: minimum and maximum are both ${min} GB`)

  // A size outside of changed bounds is corrected at once, whatever the windows need.
  const sizeGb = Math.min(max, Math.max(min, sizeFor(wasGb * gib)))
  const keep = (reason: string, blocked: MemoryRecommendation['blocked'] = null) =>
    sizeGb === wasGb
      ? result(sizeGb, reason, blocked)
      : result(sizeGb, movedText(sizeGb, wasGb, bounds), blocked)

  const short = windowNeed(history, shortWindowMs, nowMs)
  const long = windowNeed(history, longWindowMs, nowMs)
  // The long window has the higher peak, but the short one may be steadier and ask for more headroom.
  const larger = long.bytes >= short.bytes ? long : short
  if (short.leastBytes > sizeGb * gib) {
    const wantedGb = sizeFor(larger.bytes)
    const text = `${larger.text} needs ${wantedGb} GB`
    if (wantedGb <= max) return result(wantedGb, text)
    const blockedText = `${text}, more than the maximum of ${max} GB`
    return sizeGb === max ? keep(blockedText, 'at-max') : result(max, blockedText, 'at-max')
  }

  if (bucketsOver(history, longWindowMs, nowMs).length === 0) {
    return keep(`no use was observed ${within(longWindowMs)}`)
  }
  const window = short.coveredMs >= shortWindowMs ? short : { ...larger, coveredMs: long.coveredMs }
  const recurring = recurringNeed(history, nowMs)
  const need = recurring.bytes > sizeFor(window.bytes) * gib ? recurring : window
  const wantedGb = sizeFor(need.bytes)
  const text = `${need.text} needs ${wantedGb} GB`
  if (need.bytes > lowMark * sizeGb * gib) {
    if (wantedGb === sizeGb) return keep(text)
    const past = wantedGb > sizeGb && need.text !== short.text
    return keep(past ? `${text}, but not in the last 3 h` : `${text}, too near to act on`)
  }
  const hold = reasonToHold(history, window.coveredMs, current.sinceMs, nowMs)
  const targetGb = Math.max(min, wantedGb)
  if (targetGb < sizeGb) return hold === '' ? result(targetGb, text) : keep(`${text}, but ${hold}`)
  const atMin = hold === '' && wantedGb < min
  return atMin ? keep(`${text}, less than the minimum of ${min} GB`, 'at-min') : keep(text)
}

/**
 * The memory that a window's peaks need. More than a tenth is kept free for a steady load, as it has no quiet
 * times to recover in; between steady and spiky the factor changes continuously, so that a higher peak never
 * needs less.
 */
export function memoryWanted(peaks: Omit<Peaks, 'coveredMs' | 'outOfMemory'>): {
  bytes: number
  by: 'peak' | 'out-of-memory' | 'crash'
} {
  const peakBytes = Math.max(peaks.peakQueryBytes, peaks.peakResidentBytes)
  const steadyBytes = Math.min(peakBytes, peaks.meanResidentBytes / steadyShare)
  const byPeak = Math.max(peakBytes * headroom.spiky, steadyBytes * headroom.steady)
  const byFailure = peaks.outOfMemoryBytes * headroom.ranOut
  const byCrash = peaks.crashResidentBytes * headroom.ranOut
  const bytes = Math.floor(Math.max(byPeak, byFailure, byCrash))
  if (byFailure > Math.max(byPeak, byCrash)) return { bytes, by: 'out-of-memory' }
  return { bytes, by: byCrash > byPeak ? 'crash' : 'peak' }
}

interface Need {
  bytes: number
  text: string
}

interface WindowNeed extends Need {
  /** The need with the least headroom. */
  leastBytes: number
  coveredMs: number
}

function windowNeed(history: UsageHistory, windowMs: number, nowMs: number): WindowNeed {
  const peaks = peaksOver(history, windowMs, nowMs)
  const { bytes, by } = memoryWanted(peaks)
  const span = within(windowMs)
  const half = `${Math.round((headroom.ranOut - 1) * 100)} % more than the`
  const peakBytes = Math.max(peaks.peakQueryBytes, peaks.peakResidentBytes)
  const percent = peakBytes === 0 ? 0 : Math.round((bytes / peakBytes - 1) * 100)
  const text = {
    peak: `peak memory ${inGb(peakBytes)} ${span} with ${percent} % headroom`,
    'out-of-memory': `${half} ${inGb(peaks.outOfMemoryBytes)} at which ${queries(peaks.outOfMemory)} ran out of memory ${span}`,
    crash: `${half} ${inGb(peaks.crashResidentBytes)} at which a replica was killed ${span}`,
  }[by]
  return { bytes, text, leastBytes: leastWanted(peaks), coveredMs: peaks.coveredMs }
}

const leastWanted = (peaks: Omit<Parameters<typeof memoryWanted>[0], 'meanResidentBytes'>) =>
  memoryWanted({ ...peaks, meanResidentBytes: 0 }).bytes

/** The size that was needed several times, a short window apart or more: by jobs that run every few hours. */
function recurringNeed(history: UsageHistory, nowMs: number): Need {
  const needs = bucketsOver(history, longWindowMs, nowMs).map((bucket) => ({
    startMs: bucket.startMs,
    sizeGb: sizeFor(leastWanted(bucket)),
  }))
  const sizes = [...new Set(needs.map(({ sizeGb }) => sizeGb))].sort((a, b) => b - a)
  for (const sizeGb of sizes) {
    const times = needs
      .filter((need) => need.sizeGb >= sizeGb)
      .filter(({ startMs }, at, all) => startMs - (all[at - 1]?.startMs ?? -Infinity) >= shortWindowMs).length
    if (times >= recurrences) {
      return { bytes: sizeGb * gib, text: `a peak that came ${times} times ${within(longWindowMs)}` }
    }
  }
  return { bytes: 0, text: '' }
}

/**
 * Why a smaller size, though enough now, might soon have to grow again; '' = there is no such reason. Three
 * hours must have been observed: the last three, or, where a service idles in between, any three of the long
 * window, which then decides. A size is also kept for at least three hours, so that it does not oscillate.
 */
function reasonToHold(history: UsageHistory, coveredMs: number, sinceMs: number, nowMs: number): string {
  const soFar = (ms: number) => `${Math.floor(ms / 60_000)} min of ${shortWindowMs / 60_000} min`
  if (coveredMs < shortWindowMs) return `use has been observed for ${soFar(coveredMs)}`
  if (nowMs - sinceMs < shortWindowMs) return `the size has been in force for ${soFar(nowMs - sinceMs)}`
  const sizeAt = (timeMs: number) => sizeFor(memoryWanted(peaksOver(history, shortWindowMs, timeMs)).bytes)
  return sizeAt(nowMs) > sizeAt(nowMs - trendMs) ? 'use has risen within the last hour' : ''
}

function movedText(sizeGb: number, wasGb: number, bounds: MemorySituation['bounds']): string {
  if (wasGb < bounds.minReplicaMemoryGb) return `the minimum is ${sizeGb} GB`
  if (wasGb > bounds.maxReplicaMemoryGb) return `the maximum is ${sizeGb} GB`
  return `sizes are multiples of ${replicaMemoryGb.step} GB`
}

/** The smallest size, in GB, that has these bytes. */
const sizeFor = (bytes: number): number =>
  Math.max(replicaMemoryGb.min, Math.ceil(bytes / gib / replicaMemoryGb.step) * replicaMemoryGb.step)
const within = (windowMs: number) => `in ${windowMs / 3_600_000} h`
const inGb = (bytes: number) => `${(bytes / gib).toFixed(1)} GB`
const queries = (count: number) => (count === 1 ? 'a query' : `${count} queries`)
