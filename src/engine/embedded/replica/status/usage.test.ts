import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../../engine-error.ts'
import { createUsage } from './usage.ts'

const gib = 1024 ** 3

function rig(memoryBytes = 8 * gib) {
  let nowMs = 0
  let [residentBytes, largestBytes] = [0, 0]
  const usage = createUsage({
    memoryBytes,
    nowMs: () => nowMs,
    readMemory: () => ({ residentBytes, largestBytes }),
  })
  return {
    usage,
    /** Sets the resident memory from now on, and its peak in between. */
    hold(bytes: number, meanwhileBytes = bytes) {
      residentBytes = bytes
      largestBytes = Math.max(largestBytes, bytes, meanwhileBytes)
      usage.snapshot(0)
    },
    wait(ms: number) {
      nowMs += ms
    },
    peaks() {
      const { peakQueryBytes, peakResidentBytes } = usage.snapshot(0)
      return [peakQueryBytes / gib, peakResidentBytes / gib]
    },
  }
}

test('peaks are those of the last minute', () => {
  const { usage, hold, wait, peaks } = rig()
  hold(1 * gib, 5 * gib)
  usage.sawQueryBytes(3 * gib)
  assert.deepEqual(peaks(), [3, 5], 'also what was held between two looks')
  wait(59_999)
  hold(2 * gib)
  usage.sawQueryBytes(1 * gib)
  assert.deepEqual(peaks(), [3, 5])
  wait(1)
  assert.deepEqual(peaks(), [1, 2])
  wait(60_000)
  assert.deepEqual(peaks(), [0, 2], 'what is held now counts')
})

test('memory that was asked for and refused is no peak', () => {
  const { usage, peaks } = rig(8 * gib)
  usage.sawQueryBytes(16 * gib)
  assert.deepEqual(peaks(), [8, 0])
})

test('out of memory is a query that met the limit of the replica, not one of its own', () => {
  const { usage } = rig()
  const fail = (code: number, text: string) => usage.failed(new EngineError(code, 'X', text))
  fail(241, '(total) memory limit exceeded: would use 14.90 GiB, maximum: 8.00 GiB')
  fail(241, 'Query memory limit exceeded: would use 191.05 MiB, maximum: 190.73 MiB')
  fail(60, 'Unknown table (total)')
  const { queries, failedQueries, outOfMemory } = usage.snapshot(0)
  assert.deepEqual([queries, failedQueries, outOfMemory], [3, 3, 1])
})
