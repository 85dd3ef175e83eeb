import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from 'pg'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import type { SourceProgress } from '../source.ts'
import { createProgress } from './progress.ts'

test('the delay is that of the oldest change which is not in the warehouse, however long the stream runs', async () => {
  const clock = createManualClock()
  const told: SourceProgress[] = []
  const progress = createProgress(
    { report: (given) => void told.push(given) },
    {
      clock,
      slotName: 's',
      catalog: { query: () => Promise.reject(new Error('no server')) } as unknown as Client,
    },
  )
  const delay = () => {
    progress.report()
    return told.at(-1)?.lag.ms
  }
  assert.equal(delay(), null)
  progress.streaming()
  assert.equal(delay(), 0)
  for (let round = 0; round < 5; round++) {
    progress.committed(clock.now())
    await clock.advance(600)
    progress.handedOver()
    progress.committed(clock.now())
    await clock.advance(300)
    assert.equal(delay(), round === 0 ? 900 : 1_200)
    progress.arrived()
    assert.equal(delay(), 300)
  }
  progress.caughtUp()
  assert.equal(delay(), 0)
})
