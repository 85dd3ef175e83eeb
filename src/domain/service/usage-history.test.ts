import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  emptyUsageHistory,
  largestUsage,
  peaksOver,
  recordUsage,
  type UsageHistory,
  type UsageSample,
  usageBucketMs,
  usageKeptMs,
} from './usage-history.ts'

const hourMs = 3_600_000
const beganMs = 1_000 * usageBucketMs
const quiet: UsageSample = {
  queryBytes: 0,
  residentBytes: 0,
  outOfMemory: 0,
  outOfMemoryBytes: 0,
  crashResidentBytes: 0,
}
const record = (samples: readonly [timeMs: number, Partial<UsageSample>][]): UsageHistory =>
  samples.reduce((history, [timeMs, sample]) => {
    return recordUsage(history, { ...quiet, ...sample }, beganMs + timeMs)
  }, emptyUsageHistory)

test('samples of five minutes make one bucket: the peaks, the mean and the failures', () => {
  const history = record([
    [0, { queryBytes: 5, residentBytes: 10 }],
    [usageBucketMs - 1, { queryBytes: 9, residentBytes: 4, outOfMemory: 2, outOfMemoryBytes: 30 }],
    [usageBucketMs, { queryBytes: 1, residentBytes: 1, crashResidentBytes: 7 }],
  ])
  const [first, second, ...more] = history.buckets
  assert.deepEqual(first, {
    startMs: beganMs,
    peakQueryBytes: 9,
    peakResidentBytes: 10,
    sumResidentBytes: 14,
    samples: 2,
    outOfMemory: 2,
    outOfMemoryBytes: 30,
    crashResidentBytes: 0,
  })
  assert.equal(second?.startMs, beganMs + usageBucketMs)
  assert.deepEqual(more, [])
  assert.deepEqual(peaksOver(history, hourMs, beganMs + usageBucketMs), {
    peakQueryBytes: 9,
    peakResidentBytes: 10,
    meanResidentBytes: 5,
    outOfMemory: 2,
    outOfMemoryBytes: 30,
    crashResidentBytes: 7,
    coveredMs: usageBucketMs,
  })
})

test('recording leaves the history that it was given as it was, and JSON keeps it whole', () => {
  const before = record([[0, { residentBytes: 10 }]])
  const copy = structuredClone(before)
  const after = recordUsage(before, { ...quiet, residentBytes: 20 }, beganMs + 1)
  assert.deepEqual(before, copy)
  assert.equal(after.buckets[0]?.peakResidentBytes, 20)
  assert.deepEqual(JSON.parse(JSON.stringify(after)), after)
})

test('a bucket counts as long as any of it is in the window', () => {
  const history = record([[0, { residentBytes: 10 }]])
  const peakAt = (timeMs: number) => peaksOver(history, hourMs, beganMs + timeMs).peakResidentBytes
  assert.equal(peakAt(hourMs + usageBucketMs - 1), 10)
  assert.equal(peakAt(hourMs + usageBucketMs), 0)
  assert.equal(peakAt(-1), 0, 'and not before it began')
})

test('only what was observed is covered: not the time before the first sample, nor gaps', () => {
  const every = (minutes: number, fromMin: number, toMin: number) =>
    Array.from({ length: Math.floor((toMin - fromMin) / minutes) + 1 }, (_, at) => {
      return [(fromMin + at * minutes) * 60_000, { residentBytes: 1 }] as [number, Partial<UsageSample>]
    })
  const covered = (history: UsageHistory, atMin: number) =>
    peaksOver(history, 3 * hourMs, beganMs + atMin * 60_000).coveredMs / 60_000
  assert.equal(covered(emptyUsageHistory, 0), 0)
  // Observation began in the middle of a bucket.
  assert.equal(covered(record(every(1, 3, 182)), 182), 179)
  assert.equal(covered(record(every(1, 3, 183)), 183), 180)
  assert.equal(covered(record(every(1, 0, 500)), 500), 180, 'never more than the window')
  const awayForAnHour = record([...every(1, 0, 120), ...every(1, 180, 300)])
  assert.equal(covered(awayForAnHour, 300), 130)
  assert.equal(covered(awayForAnHour, 600), 0, 'idle for three hours: nothing is known of them')
})

test('a clock that is set back loses no peak and does not stop the history', () => {
  const history = record([
    [0, { residentBytes: 10 }],
    [50 * hourMs, { residentBytes: 90, outOfMemory: 1 }],
    [usageBucketMs, { residentBytes: 20 }],
  ])
  assert.deepEqual(
    history.buckets.map(({ startMs, peakResidentBytes, outOfMemory }) => [
      startMs - beganMs,
      peakResidentBytes,
      outOfMemory,
    ]),
    // The bucket at 0 was expired at the wrong time.
    [[usageBucketMs, 90, 1]],
  )
  assert.equal(
    record([
      [5, quiet],
      [0, quiet],
    ]).sinceMs,
    beganMs,
  )
})

test('a failure without a limit counts with what was resident; a limit without a failure does not count', () => {
  const bytes = (sample: Partial<UsageSample>) => record([[0, sample]]).buckets[0]?.outOfMemoryBytes
  assert.equal(bytes({ residentBytes: 6, outOfMemory: 1 }), 6)
  assert.equal(bytes({ residentBytes: 6, outOfMemory: 1, outOfMemoryBytes: 8 }), 8)
  assert.equal(bytes({ residentBytes: 6, outOfMemoryBytes: 8 }), 0)
})

test('numbers that are none do no harm', () => {
  for (const nonsense of [Number.NaN, Number.POSITIVE_INFINITY, -5]) {
    const history = record([
      [0, { queryBytes: nonsense, residentBytes: nonsense, crashResidentBytes: nonsense }],
    ])
    const { peakQueryBytes, peakResidentBytes, crashResidentBytes } = peaksOver(history, hourMs, beganMs)
    assert.deepEqual([peakQueryBytes, peakResidentBytes, crashResidentBytes], [0, 0, 0])
    assert.equal(
      largestUsage([
        { ...quiet, residentBytes: nonsense },
        { ...quiet, residentBytes: 3 },
      ]).residentBytes,
      3,
    )
  }
})

test('of replicas the largest counts, each value by itself, and all failures', () => {
  assert.deepEqual(largestUsage([]), quiet)
  assert.deepEqual(
    largestUsage([
      { queryBytes: 5, residentBytes: 7, outOfMemory: 1, outOfMemoryBytes: 8, crashResidentBytes: 0 },
      { queryBytes: 4, residentBytes: 9, outOfMemory: 2, outOfMemoryBytes: 12, crashResidentBytes: 3 },
    ]),
    { queryBytes: 5, residentBytes: 9, outOfMemory: 3, outOfMemoryBytes: 12, crashResidentBytes: 3 },
  )
})

const anySample = fc.record({
  queryBytes: fc.nat(),
  residentBytes: fc.nat(),
  outOfMemory: fc.nat(3),
  outOfMemoryBytes: fc.nat(),
  crashResidentBytes: fc.nat(),
})

test('the history is bounded, in order, and forgets no peak of the last thirty hours', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 * hourMs }), anySample), {
    minLength: 1,
    maxLength: 80,
  })
  fc.assert(
    fc.property(steps, (gaps) => {
      let nowMs = beganMs
      let history = emptyUsageHistory
      const all: [number, UsageSample][] = []
      for (const [gapMs, sample] of gaps) {
        nowMs += gapMs
        history = recordUsage(history, sample, nowMs)
        all.push([nowMs, sample])
      }
      const starts = history.buckets.map(({ startMs }) => startMs)
      assert.deepEqual(
        starts,
        [...new Set(starts)].sort((a, b) => a - b),
      )
      const { peakResidentBytes, coveredMs, outOfMemory } = peaksOver(history, usageKeptMs, nowMs)
      const recent = all.filter(([timeMs]) => timeMs > nowMs - usageKeptMs).map(([, sample]) => sample)
      assert.ok(peakResidentBytes >= Math.max(...recent.map((sample) => sample.residentBytes)))
      assert.ok(outOfMemory >= recent.reduce((sum, sample) => sum + sample.outOfMemory, 0))
      const older = all.filter(([timeMs]) => timeMs > nowMs - usageKeptMs - usageBucketMs)
      assert.ok(peakResidentBytes <= Math.max(...older.map(([, sample]) => sample.residentBytes)))
      assert.ok(coveredMs <= nowMs - beganMs)
    }),
  )
})

test('thirty hours of samples, a minute apart, are 361 buckets and no more', () => {
  let history = emptyUsageHistory
  for (let minute = 0; minute < 40 * 60; minute += 1) {
    history = recordUsage(history, { ...quiet, residentBytes: 2 ** 38 }, beganMs + minute * 60_000)
    assert.ok(history.buckets.length <= 361)
  }
  assert.equal(history.buckets.length, 361)
  assert.equal(peaksOver(history, usageKeptMs, beganMs + 40 * hourMs - 60_000).meanResidentBytes, 2 ** 38)
})

test('a sample tells of all the time since the one before: no bucket is missing, and failures count once', () => {
  const first = record([[0, { residentBytes: 10 }]])
  const sample = { ...quiet, residentBytes: 4, queryBytes: 3, outOfMemory: 1, outOfMemoryBytes: 30 }
  const nowMs = beganMs + 3 * usageBucketMs + 1
  const { buckets } = recordUsage(first, sample, nowMs, beganMs + 1)
  assert.deepEqual(
    buckets.map(({ startMs, peakResidentBytes, outOfMemory }) => [
      (startMs - beganMs) / usageBucketMs,
      peakResidentBytes,
      outOfMemory,
    ]),
    [
      [0, 10, 0],
      [1, 4, 0],
      [2, 4, 0],
      [3, 4, 1],
    ],
  )
  assert.equal(recordUsage(first, sample, nowMs).buckets.length, 2, 'unless nobody looked in between')
  const long = recordUsage(first, sample, nowMs + 10 * usageKeptMs, beganMs)
  assert.equal(long.buckets.length, usageKeptMs / usageBucketMs + 1)
})
