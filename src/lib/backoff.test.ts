import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { backoffMs } from './backoff.ts'

test('the ceiling doubles from the base to the maximum', () => {
  const highest = { baseMs: 1_000, maxMs: 300_000, random: () => 1 }
  const waits = [1, 2, 3, 8, 9, 10, 5_000].map((attempt) => backoffMs(attempt, highest))
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 128_000, 256_000, 300_000, 300_000])
})

test('an attempt below one counts as the first', () => {
  assert.equal(backoffMs(0, { baseMs: 50, maxMs: 100, random: () => 1 }), 50)
})

test('jitter covers the whole range and never leaves it', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), share, (attempt, random) => {
      const ceilingMs = backoffMs(attempt, { baseMs: 1_000, maxMs: 300_000, random: () => 1 })
      const waitMs = backoffMs(attempt, { baseMs: 1_000, maxMs: 300_000, random: () => random })
      assert.ok(Number.isInteger(waitMs))
      assert.ok(Math.abs(waitMs - ceilingMs * random) <= 0.5)
    }),
  )
})
