import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatBytes, formatCount, formatExact, formatPercent, formatRate, significant } from './numbers.ts'

test('figures have three significant digits and a unit', () => {
  assert.deepEqual([0, 8.4, 312, 999, 999.6, 1000, 42_100, 3e6, 1.2e9].map(formatCount), [
    ...['0', '8.4', '312', '999', '1 k', '1 k', '42.1 k', '3 m', '1.2 bn'],
  ])
  assert.deepEqual([0, 512, 1.92e12, 88.1e9, 5e21].map(formatBytes), [
    ...['0 B', '512 B', '1.92 TB', '88.1 GB', '5000 EB'],
  ])
  assert.equal(formatCount(-42_100), '-42.1 k')
  assert.equal(formatCount(Number.NaN), '–')
  assert.equal(significant(0.00123), '0.00123')
})

test('rates and shares say their unit', () => {
  assert.equal(formatRate(42_100), '42.1 k/s')
  assert.equal(formatRate(8.4), '8.4 /s')
  assert.equal(formatPercent(0.63), '63 %')
  assert.equal(formatPercent(0.000_001), 'under 0.001 %')
  assert.equal(formatPercent(0), '0 %')
  assert.equal(formatExact(1234567.5), '1,234,567.5')
})
