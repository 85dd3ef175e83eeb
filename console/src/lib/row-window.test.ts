import assert from 'node:assert/strict'
import { test } from 'node:test'
import { windowOf } from './row-window.ts'

test('the window holds what is seen and a margin, and stays inside the list', () => {
  const view = { height: 720, rowHeight: 36, count: 10_000 }
  assert.deepEqual(windowOf({ ...view, top: -500 }), { from: 0, to: 30 })
  assert.deepEqual(windowOf({ ...view, top: 36_000 }), { from: 980, to: 1040 })
  assert.deepEqual(windowOf({ ...view, top: 1e9 }), { from: 10_000, to: 10_000 })
})
