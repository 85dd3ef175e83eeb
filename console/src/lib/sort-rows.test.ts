import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sortRows } from './sort-rows.ts'

test('rows are sorted by value, those without one last', () => {
  const rows = [{ n: 2 }, { n: null }, { n: 10 }, { n: 1 }]
  assert.deepEqual(
    sortRows(rows, (row) => row.n).map((row) => row.n),
    [1, 2, 10, null],
  )
  assert.deepEqual(
    sortRows(rows, (row) => row.n, true).map((row) => row.n),
    [10, 2, 1, null],
  )
  assert.deepEqual(
    sortRows(['b10', 'B9', 'a'], (name) => name),
    ['a', 'B9', 'b10'],
  )
})
