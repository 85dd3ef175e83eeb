import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDuration } from './durations.ts'

test('a duration has its two largest units', () => {
  const cases: [number, string][] = [
    [0, '0 ms'],
    [84, '84 ms'],
    [800, '0.8 s'],
    [9_960, '10 s'],
    [41_000, '41 s'],
    [161_000, '2 min 41 s'],
    [3_600_000, '1 h'],
    [11_100_000, '3 h 5 min'],
    [2 * 86_400_000 + 60_000, '2 d'],
  ]
  for (const [ms, text] of cases) assert.equal(formatDuration(ms), text)
  assert.equal(formatDuration(Number.NaN), '–')
})
