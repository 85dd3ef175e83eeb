import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GroupColours } from '../../../charts/group-colours.ts'
import type { Answer } from '../dashboard-types.ts'
import { timeDataOf } from './time-data.ts'

const colours = { of: (names: string[]) => names.map((_, index) => index + 1) } as unknown as GroupColours
const linesOf = (names: string[], rows: object[], hidden = 0) => {
  const meta = { type: 'time', series: names.map((name) => ({ name })), groups: { shown: 0, hidden } }
  const { times, series } = timeDataOf({ rows, meta } as unknown as Answer, colours)
  return { times, lines: series.map(({ name, values, colour }) => [name, values, colour]) }
}

test('each group and series is a line; times that a line lacks are holes; what is left is last', () => {
  const rows = [
    { ts_bucket: 2, group: null, 'series_0.data': 9 },
    { ts_bucket: 2, group: ['b'], 'series_0.data': 3 },
    { ts_bucket: 1, group: ['a'], 'series_0.data': 1 },
    { ts_bucket: 3, group: ['a'], 'series_0.data': null },
  ]
  assert.deepEqual(linesOf(['count'], rows, 4), {
    times: [1, 2, 3],
    lines: [
      ['b', [null, 3, null], 1],
      ['a', [1, null, null], 2],
      ['other, 4', [null, 9, null], 'other'],
    ],
  })
})

test('several series and several values of a group are told apart by their names; no value is a name too', () => {
  const row = { ts_bucket: 1, 'series_0.data': 1, 'series_1.data': 2 }
  const names = (series: string[], groups: unknown[]) =>
    linesOf(
      series,
      groups.map((group) => ({ ...row, group })),
    ).lines.map(([name]) => name)
  assert.deepEqual(names(['A', 'B'], [['x', 1]]), ['A, x, 1', 'B, x, 1'])
  assert.deepEqual(names(['A'], [[''], [null], ['(none)']]), ['(none)'])
  assert.deepEqual(names(['A', 'B'], [[]]), ['A', 'B'])
})
