import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { createRecordingLog } from '../../test/support/recording-log.ts'
import type { RunEnd } from './run.ts'
import { createRunStats } from './run-stats.ts'

const claim = { kind: 'thing', id: 'x', owner: 'a', epoch: 1, generation: 1, attempts: 0 }

function setUp() {
  const clock = createManualClock()
  const log = createRecordingLog()
  const stats = createRunStats({ kinds: ['thing'], clock, log, forgetAfterMs: 1_000 })
  const end = (run: RunEnd) => {
    stats.started(claim)
    stats.ended(claim, run)
    return stats.status()['thing']?.stuck
  }
  return { clock, log, stats, end }
}

const failed = (attempts: number): RunEnd => ({
  outcome: 'failed',
  quiet: false,
  dueInMs: 5,
  failure: { reason: 'no', terminal: false, attempts, retryInMs: 5 },
})

test('failures before a restart, or elsewhere, count towards stuck', () => {
  const { end, log } = setUp()
  assert.equal(end(failed(9)), 0)
  assert.equal(end(failed(10)), 1)
  assert.equal(end(failed(11)), 1)
  assert.equal(log.count('error', 'stuck'), 1)
})

test('what has not run here for long is somebody else’s, and no longer counted', async () => {
  const { clock, end, stats } = setUp()
  assert.equal(end(failed(10)), 1)
  await clock.advance(999)
  assert.equal(stats.status()['thing']?.stuck, 1)
  await clock.advance(1)
  assert.equal(stats.status()['thing']?.stuck, 0)
})

test('runs that were lost or interrupted say nothing about the resource', () => {
  const { end } = setUp()
  for (let i = 0; i < 20; i += 1) {
    assert.equal(end({ outcome: i % 2 ? 'lost' : 'interrupted', quiet: false, dueInMs: null }), 0)
  }
})
