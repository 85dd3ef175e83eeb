import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { createRateLimiter, RateLimited } from './rate-limit.ts'

test('a window lets so many requests through and refuses the next', () => {
  const limiter = createRateLimiter(createManualClock(), { requests: 2, windowMs: 10_000 })
  assert.equal(limiter.take('a')['x-ratelimit-remaining'], 1)
  assert.equal(limiter.take('a')['x-ratelimit-remaining'], 0)
  assert.throws(
    () => limiter.take('a'),
    (error: RateLimited) => {
      assert.ok(error instanceof RateLimited)
      assert.equal(error.status, 429)
      assert.deepEqual(error.headers, {
        'x-ratelimit-limit': 2,
        'x-ratelimit-remaining': 0,
        'x-ratelimit-reset': 10,
        'retry-after': 10,
      })
      return true
    },
  )
  assert.equal(limiter.take('b')['x-ratelimit-remaining'], 1)
})

test('the next window begins when the last one has ended, and counts anew', async () => {
  const clock = createManualClock(1_000)
  const limiter = createRateLimiter(clock, { requests: 1, windowMs: 10_000 })
  limiter.take('a')
  await clock.advance(9_999)
  assert.throws(() => limiter.take('a'), RateLimited)
  await clock.advance(1)
  assert.equal(limiter.take('a')['x-ratelimit-reset'], 10)
})

test('seconds are rounded up: who waits so long is never too early', async () => {
  const clock = createManualClock()
  const limiter = createRateLimiter(clock, { requests: 10, windowMs: 10_000 })
  limiter.take('a')
  await clock.advance(8_001)
  assert.equal(limiter.take('a')['x-ratelimit-reset'], 2)
  await clock.advance(1_998)
  assert.equal(limiter.take('a')['x-ratelimit-reset'], 1)
})
