import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { moved, readRange } from './range-ends.ts'
import { parseRange, rangeName } from './range-words.ts'

const now = Date.parse('2026-11-15T13:46:00Z')
const parse = (text: string, zone = 'UTC') => parseRange(text, now, zone)
const read = (text: string, zone = 'UTC') => {
  const range = parse(text, zone)
  const ms = range && readRange(range, now, zone)
  return ms && [new Date(ms.from).toISOString(), new Date(ms.to).toISOString()]
}

describe('a typed range', () => {
  it('may be a length', () => {
    assert.deepEqual(parse('6h'), { from: 'now-6h', to: 'now' })
    assert.deepEqual(parse('last 15 minutes'), { from: 'now-15m', to: 'now' })
    assert.deepEqual(parse('2 weeks'), { from: 'now-2w', to: 'now' })
  })
  it('may be a day', () => {
    assert.deepEqual(read('yesterday'), ['2026-11-14T00:00:00.000Z', '2026-11-15T00:00:00.000Z'])
    assert.deepEqual(read('now-1d/d'), ['2026-11-14T00:00:00.000Z', '2026-11-15T00:00:00.000Z'])
    assert.deepEqual(read('14 nov'), ['2026-11-14T00:00:00.000Z', '2026-11-15T00:00:00.000Z'])
    assert.deepEqual(read('20 nov'), ['2025-11-20T00:00:00.000Z', '2025-11-21T00:00:00.000Z'])
    assert.deepEqual(read('yesterday', 'Europe/Berlin'), [
      '2026-11-13T23:00:00.000Z',
      '2026-11-14T23:00:00.000Z',
    ])
    assert.deepEqual(read('this week'), ['2026-11-09T00:00:00.000Z', '2026-11-15T13:46:00.000Z'])
  })
  it('may have two ends', () => {
    assert.deepEqual(read('14 nov 8:00 to 12:00'), ['2026-11-14T08:00:00.000Z', '2026-11-14T12:00:00.000Z'])
    assert.deepEqual(read('14 nov 8:00 to 12:00', 'Europe/Berlin'), [
      '2026-11-14T07:00:00.000Z',
      '2026-11-14T11:00:00.000Z',
    ])
    assert.deepEqual(parse('now-2h to now-1h'), { from: 'now-2h', to: 'now-1h' })
    assert.deepEqual(read('2026-11-01 to now'), ['2026-11-01T00:00:00.000Z', '2026-11-15T13:46:00.000Z'])
  })
  it('is nothing where nobody can tell what is meant', () => {
    for (const text of ['', 'soon', '0h', '6 moons', 'now to now-1h', '31 foo', '6h to 7h']) {
      assert.equal(parse(text), null, text)
    }
  })
  it('has a name', () => {
    const style = { timeZone: 'UTC' }
    assert.equal(rangeName({ from: 'now-6h', to: 'now' }, now, style), 'Last 6 hours')
    assert.equal(rangeName({ from: 'now-90m', to: 'now' }, now, style), 'Last 90 minutes')
    assert.equal(rangeName({ from: 'now-1d/d', to: 'now/d' }, now, style), 'Yesterday')
    const range = parse('14 nov 8:00 to 12:00')
    assert.equal(range && rangeName(range, now, style), 'Sat 14 Nov 08:00 to 12:00')
  })
  it('moves by its own length, and grows around its middle', () => {
    assert.deepEqual(moved({ from: 100, to: 200 }, 'earlier'), { from: 0, to: 100 })
    assert.deepEqual(moved({ from: 100, to: 200 }, 'later'), { from: 200, to: 300 })
    assert.deepEqual(moved({ from: 100, to: 200 }, 'out'), { from: 50, to: 250 })
  })
})
