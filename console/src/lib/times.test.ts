import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatAgo, formatClock, formatExactTime, formatTime } from './times.ts'

const now = Date.UTC(2026, 10, 17, 12, 0, 0)
const utc = { timeZone: 'UTC' }

test('a time is relative below seven days', () => {
  const cases: [number, string][] = [
    [0, 'now'],
    [-14_000, 'in 14 s'],
    [59_000, '59 s ago'],
    [6 * 60_000, '6 min ago'],
    [3 * 3_600_000 + 1, '3 h ago'],
    [86_400_000, '1 day ago'],
    [6 * 86_400_000, '6 days ago'],
    [8 * 86_400_000, 'Mon 9 Nov 12:00'],
  ]
  for (const [before, text] of cases) assert.equal(formatAgo(now - before, now, utc), text)
})

test('other times have the day, and the year only where it differs', () => {
  assert.equal(formatTime(now, now, utc), 'Tue 17 Nov 12:00')
  assert.equal(formatTime(Date.UTC(2025, 8, 1), now, utc), 'Mon 1 Sep 2025 00:00')
  assert.equal(formatExactTime(now, utc), 'Tue 17 Nov 2026 12:00:00 UTC')
  assert.equal(formatClock(now, { ...utc, seconds: true }), '12:00:00')
})
