import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offsetOf, timeLabels, timeTicks, valueTicks } from './ticks.ts'

test('values have at most five lines, in steps of 1, 2, 2.5 and 5, that enclose them', () => {
  assert.deepEqual(valueTicks(0, 48), [0, 20, 40, 60])
  assert.deepEqual(valueTicks(0, 100), [0, 25, 50, 75, 100])
  assert.deepEqual(valueTicks(0, 0.3), [0, 0.1, 0.2, 0.3])
  assert.deepEqual(valueTicks(-3, 4), [-4, -2, 0, 2, 4])
  assert.deepEqual(valueTicks(0, 0), [0, 0.25, 0.5, 0.75, 1])
  assert.deepEqual(valueTicks(Number.NaN, 1), [0, 1])
  for (const max of [1e-9, 0.07, 1, 3, 7, 11, 999, 1001, 123_456, 5e15]) {
    const ticks = valueTicks(0, max)
    assert.ok(ticks.length <= 5 && (ticks.at(-1) ?? 0) >= max, `${max}: ${ticks}`)
  }
})

test('times are round on the clock of the zone', () => {
  const at = Date.UTC(2026, 10, 14, 22, 10)
  const ticks = timeTicks(at, at + 4 * 3_600_000, 5)
  assert.deepEqual(timeLabels(ticks), ['23:00', '15 Nov', '01:00', '02:00'])
  const india = offsetOf(at, 'Asia/Kolkata')
  assert.equal(india, 5.5 * 3_600_000)
  assert.deepEqual(timeLabels(timeTicks(at, at + 4 * 3_600_000, 5, india), india), [
    '04:00',
    '05:00',
    '06:00',
    '07:00',
  ])
  assert.deepEqual(timeLabels(timeTicks(0, 20_000, 5)), [
    '1 Jan',
    '00:00:05',
    '00:00:10',
    '00:00:15',
    '00:00:20',
  ])
  assert.ok(timeTicks(0, 400 * 86_400_000, 6).length <= 6)
})
