import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStopSignals, oneRequestMs } from './stop-signals.ts'

test('signals within a second are one request, a later one is impatience', () => {
  let nowMs = 5_000
  const { stop, hurry, received } = createStopSignals(() => nowMs)
  assert.deepEqual([stop.aborted, hurry.aborted], [false, false])
  received('SIGINT')
  assert.deepEqual([stop.aborted, stop.reason], [true, 'SIGINT'])
  for (const afterMs of [0, 1, oneRequestMs]) {
    nowMs = 5_000 + afterMs
    received('SIGINT')
    received('SIGHUP')
  }
  assert.equal(hurry.aborted, false)
  nowMs += 1
  received('SIGTERM')
  assert.deepEqual([hurry.aborted, hurry.reason, stop.reason], [true, 'SIGTERM', 'SIGINT'])
})
