import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { replicaMemoryGb } from './limits.ts'
import { type MemorySituation, memoryWanted, recommendMemory } from './recommend-memory.ts'
import { emptyUsageHistory, recordUsage, type UsageHistory, type UsageSample } from './usage-history.ts'

const gib = 1024 ** 3
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const beganMs = 100_000 * hourMs
/** Use at a time: resident memory in GB, or a whole sample. */
type Use = number | Partial<UsageSample>

const sampleOf = (use: Use): UsageSample => ({
  queryBytes: 0,
  residentBytes: typeof use === 'number' ? use * gib : 0,
  outOfMemory: 0,
  outOfMemoryBytes: 0,
  crashResidentBytes: 0,
  ...(typeof use === 'number' ? {} : use),
})

/** A sample every five minutes of these hours, both ends included. */
function used(fromHour: number, toHour: number, use: Use, history = emptyUsageHistory): UsageHistory {
  for (let timeMs = fromHour * hourMs; timeMs <= toHour * hourMs; timeMs += 5 * minuteMs) {
    history = recordUsage(history, sampleOf(use), beganMs + timeMs)
  }
  return history
}

function recommend(
  history: UsageHistory,
  atHour: number,
  currentGb: number,
  { min = 8, max = 120, sinceHour = -100 }: { min?: number; max?: number; sinceHour?: number } = {},
) {
  return recommendMemory({
    history,
    current: { replicaMemoryGb: currentGb, sinceMs: beganMs + sinceHour * hourMs },
    bounds: { minReplicaMemoryGb: min, maxReplicaMemoryGb: max },
    nowMs: beganMs + atHour * hourMs,
  })
}

test('use past the size goes up, in one step to the peak of the long window', () => {
  // 40 GB twenty hours ago, 2 GB since, and now 8 GB, too much for the current 8 GB.
  const history = used(20, 20, 8, used(1, 19.9, 2, used(0, 0.5, 40)))
  assert.deepEqual(recommend(history, 20, 8), {
    targetGb: 44,
    action: 'up',
    reason: 'peak memory 40.0 GB in 30 h with 10 % headroom needs 44 GB; was 8 GB',
    blocked: null,
  })
  const past =
    'peak memory 40.0 GB in 30 h with 10 % headroom needs 44 GB, but not in the last 3 h; stays at 8 GB'
  assert.equal(recommend(history, 29.9, 8).reason, past)
})

test('a steady load gets more headroom than spikes', () => {
  assert.match(
    recommend(used(0, 1, 13), 1, 8).reason,
    /^peak memory 13.0 GB .* 25 % headroom needs 20 GB; was 8 GB$/,
  )
  const spike = used(2, 2, 13, used(0, 1.9, 1))
  assert.match(recommend(spike, 2, 8).reason, /^peak memory 13.0 GB .* 10 % headroom needs 16 GB; was 8 GB$/)
})

test('the memory of queries counts as well as that of the process', () => {
  assert.equal(recommend(used(0, 0, { queryBytes: 15 * gib, residentBytes: gib }), 0, 8).targetGb, 20)
})

test('one query that ran out of memory is enough, even when nothing else was used', () => {
  const failed = { residentBytes: gib, outOfMemory: 1, outOfMemoryBytes: 8 * gib }
  const history = used(0, 0, failed)
  assert.deepEqual(recommend(history, 0, 8), {
    targetGb: 12,
    action: 'up',
    reason: '50 % more than the 8.0 GB at which a query ran out of memory in 30 h needs 12 GB; was 8 GB',
    blocked: null,
  })
  // The failure belongs to the old size: later use of the new size does not multiply it.
  assert.equal(recommend(used(0.1, 1, 9, history), 1, 12, { sinceHour: 0 }).action, 'keep')
  const twice = used(0.1, 0.1, { ...failed, outOfMemory: 3, outOfMemoryBytes: 12 * gib }, history)
  assert.match(
    recommend(twice, 0.1, 12).reason,
    /^50 % more than the 12.0 GB at which 4 queries ran out .* 20 GB/,
  )
})

test('a replica that was killed for its memory', () => {
  const history = used(0, 0, { residentBytes: 2 * gib, crashResidentBytes: 9 * gib })
  const reason = '50 % more than the 9.0 GB at which a replica was killed in 30 h needs 16 GB; was 8 GB'
  assert.equal(recommend(history, 0, 8).reason, reason)
})

test('headroom alone raises nothing; a rise gets the larger headroom of the two windows', () => {
  // Steady at 97 GB for three hours needs 121.25 GB; as a spike in thirty hours it needs 106.7 GB.
  const history = used(10, 13.5, 97, used(0, 9.9, 1))
  assert.match(
    recommend(history, 13.5, 108).reason,
    /25 % headroom needs 124 GB, too near to act on; stays at 108 GB$/,
  )
  assert.equal(recommend(history, 13.5, 104, { max: 356 }).targetGb, 124)
})

test('going down takes three hours of observation', () => {
  const history = used(0, 4, 2)
  const early = recommend(history, 2.99, 32)
  assert.equal(early.action, 'keep')
  assert.match(early.reason, /needs 8 GB, but use has been observed for 179 min of 180 min; stays at 32 GB$/)
  assert.deepEqual(recommend(history, 3, 32), {
    targetGb: 8,
    action: 'down',
    reason: 'peak memory 2.0 GB in 3 h with 25 % headroom needs 8 GB; was 32 GB',
    blocked: null,
  })
})

test('going down follows the short window', () => {
  const history = used(5.1, 12, 10, used(0, 5, 60))
  assert.equal(recommend(history, 8, 76).targetGb, 76)
  assert.equal(recommend(history, 8.5, 76).targetGb, 16)
})

test('a size is kept for three hours before it goes down', () => {
  const history = used(0, 10, 2)
  assert.match(recommend(history, 9, 32, { sinceHour: 6.1 }).reason, /in force for 174 min of 180 min/)
  assert.equal(recommend(history, 9, 32, { sinceHour: 6 }).action, 'down')
})

test('small differences do nothing', () => {
  const at = (gb: number) => recommend(used(0, 4, gb), 4, 24).targetGb
  assert.match(recommend(used(0, 4, 14), 4, 24).reason, /needs 20 GB, too near to act on; stays at 24 GB$/)
  // Of 24 GB: 1.25 times 12.8 GB are two thirds, 1.1 times 21.8 GB are all.
  assert.deepEqual([12.7, 12.9, 21.7, 21.9].map(at), [16, 24, 24, 28])
})

test('use that rises is no time to go down', () => {
  const history = used(6, 8, 12, used(0, 5.9, 2))
  assert.match(recommend(history, 6.5, 64).reason, /but use has risen within the last hour; stays at 64 GB$/)
  assert.equal(recommend(history, 7.9, 64).targetGb, 16)
})

test('peaks that come back every few hours keep their memory, until they have stopped coming', () => {
  let history = emptyUsageHistory
  for (const hour of [0, 5, 10])
    history = used(hour + 0.5, hour + 4.9, 1, used(hour, hour + 0.4, 18, history))
  assert.match(
    recommend(history, 14.5, 20).reason,
    /^a peak that came 3 times in 30 h needs 20 GB; stays at 20 GB$/,
  )
  assert.equal(recommend(used(15, 29, 1, history), 29, 20).action, 'keep')
  assert.equal(recommend(used(15, 31, 1, history), 31, 20).targetGb, 8, 'the first is forgotten')
  // A larger size goes down to what the peaks need, not below.
  assert.equal(recommend(history, 14.5, 120).targetGb, 20)
})

test('an idle service keeps its size, and one that idles often goes down by the long window', () => {
  const busy = used(0, 5, 10)
  assert.match(recommend(busy, 100, 64).reason, /^no use was observed in 30 h; stays at 64 GB$/)
  const woken = used(100, 100.1, 1, busy)
  assert.match(recommend(woken, 100.1, 64).reason, /but use has been observed for 10 min of 180 min; stays/)
  // Half an hour in every two: the short window is never fully observed.
  let often = used(0, 0, 20)
  for (let hour = 2; hour < 30; hour += 2) often = used(hour, hour + 0.5, 1, often)
  assert.equal(recommend(often, 28.5, 64).targetGb, 24, 'the peak of the long window')
  assert.equal(recommend(used(30, 30.5, 1, often), 30.5, 24).targetGb, 8)
  // Use in the short window needs more headroom than the same use as a spike in the long one.
  assert.equal(recommend(used(30, 30.5, 11, often), 32, 64).targetGb, 16)
})

test('the bounds hold, and say so', () => {
  const high = recommend(used(0, 1, 60), 1, 16, { max: 32 })
  assert.deepEqual([high.targetGb, high.action, high.blocked], [32, 'up', 'at-max'])
  assert.match(high.reason, /needs 76 GB, more than the maximum of 32 GB; was 16 GB$/)
  const atMax = recommend(used(0, 1, 60), 1, 32, { max: 32 })
  assert.deepEqual([atMax.targetGb, atMax.action, atMax.blocked], [32, 'keep', 'at-max'])
  const low = recommend(used(0, 4, 1), 4, 64, { min: 16 })
  assert.deepEqual([low.targetGb, low.action, low.blocked], [16, 'down', null])
  const atMin = recommend(used(0, 4, 1), 4, 16, { min: 16 })
  assert.deepEqual([atMin.targetGb, atMin.action, atMin.blocked], [16, 'keep', 'at-min'])
  assert.match(atMin.reason, /needs 8 GB, less than the minimum of 16 GB; stays at 16 GB$/)
  assert.equal(recommend(used(0, 1, 1), 1, 16, { min: 16 }).blocked, null, 'not known yet')
  assert.equal(recommend(used(0, 4, 1), 4, 8).blocked, null, 'there is no smaller size')
})

test('bounds that moved past the size are followed at once', () => {
  const justNow = { sinceHour: 0 }
  assert.deepEqual(recommend(emptyUsageHistory, 0, 8, { min: 24, ...justNow }), {
    targetGb: 24,
    action: 'up',
    reason: 'the minimum is 24 GB; was 8 GB',
    blocked: null,
  })
  const lowered = recommend(used(0, 0, 50), 0, 64, { max: 32, ...justNow })
  assert.deepEqual(lowered, {
    targetGb: 32,
    action: 'down',
    reason: 'the maximum is 32 GB; was 64 GB',
    blocked: 'at-max',
  })
  assert.equal(recommend(used(0, 4, 1), 4, 64, { max: 32 }).targetGb, 8, 'both in one step')
  assert.equal(recommend(emptyUsageHistory, 0, 10).targetGb, 12, 'no size of ours')
})

test('equal bounds pin the size and switch autoscaling off', () => {
  const failed = used(0, 0, { outOfMemory: 5, outOfMemoryBytes: 16 * gib })
  for (const [currentGb, action] of [
    [8, 'up'],
    [16, 'keep'],
    [64, 'down'],
  ] as const) {
    const { reason, ...rest } = recommend(failed, 0, currentGb, { min: 16, max: 16, sinceHour: 0 })
    assert.deepEqual(rest, { targetGb: 16, action, blocked: null })
    assert.match(reason, /^autoscaling is off: minimum and maximum are both 16 GB; (was|stays)/)
  }
})

// Properties: an hour of use and a gap after it, some failures among them.
const size = fc.integer({ min: 2, max: 89 }).map((steps) => steps * replicaMemoryGb.step)
const gbBytes = fc.double({ min: 0, max: 300, noNaN: true }).map((gb) => Math.round(gb * gib))
const rarely = (value: fc.Arbitrary<number>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: value })
const anySample: fc.Arbitrary<UsageSample> = fc.record({
  queryBytes: gbBytes,
  residentBytes: gbBytes,
  outOfMemory: rarely(fc.constant(1)),
  outOfMemoryBytes: gbBytes,
  crashResidentBytes: rarely(gbBytes),
})
const anyUse = fc.array(
  fc.record({ sample: anySample, samples: fc.integer({ min: 1, max: 40 }), gap: rarely(fc.nat(50)) }),
  {
    maxLength: 14,
  },
)
const timeline = (use: readonly { sample: UsageSample; samples: number; gap: number }[]) => {
  let timeMs = beganMs
  let history = emptyUsageHistory
  for (const { sample, samples, gap } of use) {
    for (let at = 0; at < samples; at += 1) {
      history = recordUsage(history, sample, timeMs)
      timeMs += 5 * minuteMs
    }
    timeMs += gap * 5 * minuteMs
  }
  return { history, nowMs: timeMs }
}
const anySituation: fc.Arbitrary<MemorySituation> = fc
  .record({
    use: anyUse,
    first: size,
    second: size,
    currentGb: fc.oneof(size, fc.nat(400)),
    ageMs: fc.nat(9 * hourMs),
  })
  .map(({ use, first, second, currentGb, ageMs }) => {
    const { history, nowMs } = timeline(use)
    return {
      history,
      current: { replicaMemoryGb: currentGb, sinceMs: nowMs - ageMs },
      bounds: { minReplicaMemoryGb: Math.min(first, second), maxReplicaMemoryGb: Math.max(first, second) },
      nowMs,
    }
  })

test('always: a multiple of 4 within the bounds, the action fits, and doing it leaves nothing to do', () => {
  fc.assert(
    fc.property(anySituation, (situation) => {
      const { targetGb, action, reason, blocked } = recommendMemory(situation)
      const { current, bounds } = situation
      assert.equal(targetGb % replicaMemoryGb.step, 0)
      assert.ok(targetGb >= bounds.minReplicaMemoryGb && targetGb <= bounds.maxReplicaMemoryGb)
      assert.equal(action, ['down', 'keep', 'up'][Math.sign(targetGb - current.replicaMemoryGb) + 1])
      assert.match(reason, action === 'keep' ? /; stays at \d+ GB$/ : /; was \d+ GB$/)
      if (blocked === 'at-max') assert.equal(targetGb, bounds.maxReplicaMemoryGb)
      if (blocked === 'at-min') assert.equal(targetGb, bounds.minReplicaMemoryGb)
      const again = recommendMemory({
        ...situation,
        current: { replicaMemoryGb: targetGb, sinceMs: situation.nowMs },
      })
      assert.equal(again.action, 'keep', again.reason)
    }),
    { numRuns: 400 },
  )
})

test('more use never asks for less memory', () => {
  const anyPeaks = fc.record({
    peakQueryBytes: gbBytes,
    peakResidentBytes: gbBytes,
    meanResidentBytes: gbBytes,
    outOfMemoryBytes: gbBytes,
    crashResidentBytes: gbBytes,
  })
  fc.assert(
    fc.property(anyPeaks, anyPeaks, (peaks, more) => {
      const sum = {
        peakQueryBytes: peaks.peakQueryBytes + more.peakQueryBytes,
        peakResidentBytes: peaks.peakResidentBytes + more.peakResidentBytes,
        meanResidentBytes: peaks.meanResidentBytes + more.meanResidentBytes,
        outOfMemoryBytes: peaks.outOfMemoryBytes + more.outOfMemoryBytes,
        crashResidentBytes: peaks.crashResidentBytes + more.crashResidentBytes,
      }
      assert.ok(memoryWanted(sum).bytes >= memoryWanted(peaks).bytes)
    }),
  )
  fc.assert(
    fc.property(anySituation, anySample, gbBytes, gbBytes, (situation, last, query, resident) => {
      const { history, nowMs } = situation
      const more = {
        ...last,
        queryBytes: last.queryBytes + query,
        residentBytes: last.residentBytes + resident,
      }
      const targets = [last, more].map((sample) => {
        return recommendMemory({ ...situation, history: recordUsage(history, sample, nowMs) }).targetGb
      })
      assert.ok((targets[0] ?? 0) <= (targets[1] ?? 0), targets.join(' > '))
    }),
    { numRuns: 400 },
  )
})

/**
 * A service that follows each recommendation at once; a demand beyond its size fails at that size, as in
 * reality.
 */
function simulate(hours: number, demandGb: (hour: number) => number, startGb: number) {
  let history = emptyUsageHistory
  let current = { replicaMemoryGb: startGb, sinceMs: beganMs }
  const sizes = [startGb]
  let failures = 0
  for (let minute = 0; minute <= hours * 60; minute += 5) {
    const nowMs = beganMs + minute * minuteMs
    const limitBytes = current.replicaMemoryGb * gib
    const demandBytes = demandGb(minute / 60) * gib
    const outOfMemory = demandBytes > limitBytes ? 1 : 0
    failures += outOfMemory
    const residentBytes = Math.min(demandBytes, limitBytes)
    history = recordUsage(
      history,
      { ...sampleOf({ residentBytes }), outOfMemory, outOfMemoryBytes: limitBytes },
      nowMs,
    )
    const bounds = { minReplicaMemoryGb: 8, maxReplicaMemoryGb: 356 }
    const { targetGb, action } = recommendMemory({ history, current, bounds, nowMs })
    if (action === 'keep') continue
    current = { replicaMemoryGb: targetGb, sinceMs: nowMs }
    sizes.push(targetGb)
  }
  return { sizes, failures }
}

test('constant use settles: up to what it needs or down to it, and then never again', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.1, max: 200, noNaN: true }), size, (demandGb, startGb) => {
      const { sizes } = simulate(34, () => demandGb, startGb)
      const steps = sizes.slice(1).map((gb, at) => Math.sign(gb - (sizes[at] ?? 0)))
      assert.ok(new Set(steps).size <= 1, `turned round: ${sizes}`)
      assert.ok(steps.length <= 1 || steps[0] === 1, `down in small steps: ${sizes}`)
      const settledGb = sizes.at(-1) ?? 0
      const neededGb = demandGb * 1.25
      assert.ok(settledGb >= demandGb * 1.1, `${settledGb} GB for ${demandGb} GB`)
      const least = Math.min(settledGb - 4, (settledGb * 2) / 3)
      assert.ok(settledGb === 8 || neededGb > least, `${settledGb} GB for ${demandGb} GB`)
    }),
    { numRuns: 25 },
  )
})

test('a day with one spike: up at once, and back three hours later', () => {
  const { sizes, failures } = simulate(24, (hour) => (hour >= 9 && hour < 9.5 ? 40 : 4), 8)
  assert.deepEqual(sizes, [8, 12, 20, 32, 48, 8])
  assert.equal(failures, 4)
})

test('a job every four hours fails a few times, not every time', () => {
  const job = (hour: number) => (hour % 4 < 0.25 ? 11 : 2)
  const { sizes, failures } = simulate(72, job, 8)
  assert.deepEqual(sizes, [8, 12, 16, 8, 16, 8, 16])
  assert.equal(failures, 3)
})

test('office hours: once the day is known, one step up in the morning and one down in the evening', () => {
  const { sizes } = simulate(5 * 24, (hour) => (hour % 24 >= 8 && hour % 24 < 18 ? 24 : 2), 8)
  assert.deepEqual(sizes, [8, 12, 20, 32, 8, 32, 8, 28, 8, 28, 8, 28, 8])
})
