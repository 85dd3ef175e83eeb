import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stack } from './stack.ts'

test('series stand on each other; gaps stay gaps; what is negative hangs', () => {
  assert.deepEqual(
    stack([
      [1, null, 3, -1],
      [2, null, null, -2],
      [4, 5, 6, 7],
    ]),
    [
      [1, null, 3, -1],
      [3, null, null, -3],
      [7, 5, 9, 7],
    ],
  )
  assert.deepEqual(stack([]), [])
})
