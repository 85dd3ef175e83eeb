import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { createStalls } from './stalls.ts'

const running = (bytes: number, files = 0) =>
  ({ state: 'running', progress: { bytes, totalBytes: 9, files, totalFiles: 9 } }) as const

test('a job stalls from when its bytes and files last grew, and only while it runs', async () => {
  const clock = createManualClock()
  const stalls = createStalls(clock)
  assert.equal(stalls.lookedAt('a', running(1)), 0)
  await clock.advance(50)
  assert.equal(stalls.lookedAt('a', running(1)), 50)
  assert.equal(stalls.lookedAt('b', running(1)), 0)
  assert.equal(stalls.lookedAt('a', running(1, 1)), 0)
  await clock.advance(70)
  assert.equal(stalls.lookedAt('a', running(1, 1)), 70)
  assert.equal(stalls.lookedAt('a', { state: 'failed', reason: '' }), 0)
  assert.equal(stalls.lookedAt('a', running(1, 1)), 0, 'it was begun anew')
  await clock.advance(10)
  stalls.forget('a')
  assert.equal(stalls.lookedAt('a', running(1, 1)), 0)
})
