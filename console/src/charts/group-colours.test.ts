import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGroupColours } from './group-colours.ts'

test('a group keeps its colour over refreshes and charts', () => {
  const colours = createGroupColours()
  assert.deepEqual(colours.of(['shop', 'api']), [2, 1])
  assert.deepEqual(colours.of(['auth', 'api', 'shop']), [3, 1, 2])
})
