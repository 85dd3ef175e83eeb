import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { judge, type Measured } from './evaluate.ts'
import type { AlertSettings, AlertState } from './types.ts'

const settings = (over: Partial<AlertSettings>) => ({
  ...{ threshold: 10, thresholdType: 'above' as const, numConsecutiveWindows: 1, ...over },
})
const quiet = { breaches: 0, state: 'OK' as AlertState }
const one = (value: number | null): Measured[] => [{ group: [], value }]

describe('a value is beyond the threshold', () => {
  const cases: [Partial<AlertSettings>, number[], number[]][] = [
    [{ thresholdType: 'above' }, [10, 11], [9.99]],
    [{ thresholdType: 'above_exclusive' }, [10.01], [10, 9]],
    [{ thresholdType: 'below' }, [9.99], [10, 11]],
    [{ thresholdType: 'below_or_equal' }, [10, 9], [10.01]],
    [{ thresholdType: 'equal' }, [10], [9, 11]],
    [{ thresholdType: 'not_equal' }, [9, 11], [10]],
    [{ thresholdType: 'between', thresholdMax: 20 }, [10, 15, 20], [9.99, 20.01]],
    [{ thresholdType: 'not_between', thresholdMax: 20 }, [9.99, 20.01], [10, 20]],
  ]
  for (const [over, beyond, within] of cases) {
    test(over.thresholdType ?? '', () => {
      for (const value of beyond)
        assert.equal(judge(settings(over), quiet, one(value)).state, 'ALERT', String(value))
      for (const value of within)
        assert.equal(judge(settings(over), quiet, one(value)).state, 'OK', String(value))
    })
  }
})

test('breaches in a row make an alert, fewer are pending', () => {
  let status = quiet
  const states = [11, 12, 5, 11, 12, 13, 14, null, 11].map((value) => {
    const { state, breaches } = judge(settings({ numConsecutiveWindows: 3 }), status, one(value))
    status = { state, breaches }
    return state
  })
  assert.deepEqual(states, [
    ...['PENDING', 'PENDING', 'OK', 'PENDING', 'PENDING', 'ALERT', 'ALERT', 'INSUFFICIENT_DATA', 'PENDING'],
  ])
})

test('one group beyond the threshold suffices, and the furthest value decides', () => {
  const rows: Measured[] = [
    { group: ['a'], value: 12 },
    { group: ['b'], value: 3 },
    { group: [null], value: 15 },
    { group: ['c'], value: null },
  ]
  assert.deepEqual(judge(settings({}), quiet, rows), {
    ...{ state: 'ALERT', breaches: 1, value: 15 },
    groups: [
      { group: ['a'], value: 12 },
      { group: [null], value: 15 },
    ],
  })
  const below = judge(settings({ thresholdType: 'below' }), quiet, rows)
  assert.deepEqual([below.value, below.groups], [3, [{ group: ['b'], value: 3 }]])
  assert.equal(judge(settings({ threshold: 99 }), quiet, rows).value, 15)
  const many = Array.from({ length: 30 }, (_, n) => ({ group: [String(n)], value: 50 }))
  assert.equal(judge(settings({}), quiet, many).groups.length, 20)
})

test('no value is insufficient', () => {
  for (const rows of [[], one(null)])
    assert.deepEqual(judge(settings({}), { breaches: 2, state: 'ALERT' }, rows), {
      ...{ state: 'INSUFFICIENT_DATA', breaches: 0, value: null, groups: [] },
    })
})
