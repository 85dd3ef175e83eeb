import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseTimestamp } from './timestamp.ts'

test('reads minutes in UTC and full ISO times', () => {
  assert.equal(parseTimestamp('2021-01-01T00:00'), Date.UTC(2021, 0, 1))
  assert.equal(parseTimestamp('2021-01-01T00:00:30'), Date.UTC(2021, 0, 1, 0, 0, 30))
  assert.equal(parseTimestamp('2021-01-01T02:00+02:00'), Date.UTC(2021, 0, 1))
  assert.equal(parseTimestamp('2020-12-31T22:30:00-0130'), Date.UTC(2021, 0, 1))
  assert.equal(parseTimestamp('2024-02-29T00:00:00.123456Z'), Date.UTC(2024, 1, 29, 0, 0, 0, 123))
})

test('refuses what is no time or no real one', () => {
  for (const text of [
    '',
    'yesterday',
    '2021-01-01',
    '2021-01-01 00:00',
    '2021-1-1T00:00',
    '2023-02-29T00:00',
    '2021-02-30T00:00',
    '2021-13-01T00:00',
    '2021-00-10T00:00',
    '2021-01-00T00:00',
    '2021-01-01T24:00',
    '2021-01-01T00:60',
    '2021-01-01T00:00:60Z',
    '2021-01-01T00:00+25:00',
    '1615766400',
    '2021-01-01T00:00Z; DROP',
  ]) {
    assert.equal(parseTimestamp(text), undefined, text)
  }
})

test('agrees with Date on every time that Date writes', () => {
  const range = { min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }
  fc.assert(
    fc.property(fc.date(range), (date) => {
      assert.equal(parseTimestamp(date.toISOString()), date.getTime())
    }),
  )
})
