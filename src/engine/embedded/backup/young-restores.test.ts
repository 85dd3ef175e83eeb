import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/support/manual-clock.ts'
import { createRightOfWay } from './right-of-way.ts'
import { createYoungRestores } from './young-restores.ts'

test('restores are young until they end, and for ten seconds at most', async () => {
  const clock = createManualClock()
  const way = createRightOfWay()
  let refills = 0
  const { any, rightOfWay } = createYoungRestores(way, clock, () => {
    refills += 1
  })
  const one = rightOfWay.take()
  await clock.advance(9_000)
  const two = rightOfWay.take()
  assert.ok(any())
  await clock.advance(1_000)
  assert.ok(any(), 'the second is young')
  two()
  await clock.advance(0)
  assert.deepEqual([any(), refills], [false, 1], 'the first still runs, and is young no more')
  assert.equal(way.taken[0], 1, 'whoever reads back waits for it nevertheless')
  one()
  one()
  await clock.advance(60_000)
  assert.deepEqual([any(), refills, way.taken[0]], [false, 1, 0])
})
