import assert from 'node:assert/strict'
import { test } from 'node:test'
import { summaryOf } from './summary.ts'

const words = { value: String, time: (at: number) => `t${at}` }
const range = { from: 0, to: 9 }

test('a chart is one sentence', () => {
  const one = { name: 'a', values: [1, null, 5, 2], colour: 1 }
  assert.equal(
    summaryOf('Queries', range, [0, 3, 6, 9], [one], words),
    'Queries, t0 to t9: highest 5 at t6; from 1 to 2.',
  )
  assert.equal(
    summaryOf('Queries', range, [0, 3, 6, 9], [one, { ...one, name: 'b', values: [9] }], words),
    'Queries, t0 to t9: 2 series, highest of b 9 at t0.',
  )
  assert.equal(summaryOf('Queries', range, [], [], words), 'Queries, t0 to t9: no values.')
})
