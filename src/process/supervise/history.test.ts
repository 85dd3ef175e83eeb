import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHistories } from './history.ts'

const limits = { backoff: { baseMs: 500, maxMs: 4_000 }, wellMs: 30_000, servedMs: 3_000 }

test('the first restart is immediate, later ones wait longer and longer, up to a limit', () => {
  const histories = createHistories(limits, () => 1)
  const waits = Array.from({ length: 7 }, () => {
    histories.failed('s-0', 'ended', 0, 1_000)
    return histories.of('s-0').notBeforeMs - 1_000
  })
  assert.deepEqual(waits, [0, 500, 1_000, 2_000, 4_000, 4_000, 4_000])
  assert.equal(histories.of('s-0').failures, 7)
  assert.deepEqual(histories.of('s-1'), { failures: 0, restarts: 0, notBeforeMs: 0, lastFailure: '' })
})

test('what has served is started again at once, however often it is killed; what served for a moment waits for a moment', () => {
  const histories = createHistories(limits, () => 1)
  const waitAfter = (servedMs: number) => {
    histories.failed('s-0', 'was ended by SIGKILL', servedMs, 1_000)
    return histories.of('s-0').notBeforeMs - 1_000
  }
  assert.deepEqual([3_000, 9_000, 3_000, 29_999, 3_000].map(waitAfter), [0, 0, 0, 0, 0])
  assert.equal(histories.of('s-0').failures, 5, 'a person is told all the same')
  assert.deepEqual([2_999, 2_999, 0, 0, 2_999, 1].map(waitAfter), [0, 500, 1_000, 2_000, 500, 500])
  assert.equal(waitAfter(3_000), 0)
  assert.equal(waitAfter(0), 0)
})

test('waits are spread, but never down to nothing', () => {
  const histories = createHistories(limits, () => 0)
  histories.failed('s-0', 'ended', 0, 0)
  histories.failed('s-0', 'ended', 0, 0)
  assert.equal(histories.of('s-0').notBeforeMs, 250)
})

test('what ran well for a while begins to count anew', () => {
  const histories = createHistories(limits, () => 1)
  for (let n = 0; n < 5; n += 1) histories.failed('s-0', 'ended', 29_999, 0)
  assert.equal(histories.of('s-0').failures, 5)
  histories.failed('s-0', 'ended', 30_000, 0)
  assert.deepEqual([histories.of('s-0').failures, histories.of('s-0').notBeforeMs], [1, 0])
  histories.resetFailures('s-0')
  assert.deepEqual([histories.of('s-0').failures, histories.of('s-0').lastFailure], [0, ''])
})

test('restarts are starts after a failure, and only those', () => {
  const histories = createHistories(limits, () => 1)
  histories.started('s-0')
  histories.started('s-0')
  assert.equal(histories.of('s-0').restarts, 0)
  histories.failed('s-0', 'ended', 0, 0)
  histories.started('s-0')
  histories.started('s-0')
  assert.equal(histories.of('s-0').restarts, 1)
  histories.resetFailures('s-0')
  assert.equal(histories.of('s-0').restarts, 1)
})

test('to clear the backoff keeps the count; to forget keeps nothing; both reach only who is meant', () => {
  const histories = createHistories(limits, () => 1)
  for (const id of ['s-0', 't-0']) for (let n = 0; n < 3; n += 1) histories.failed(id, 'ended', 0, 0)
  histories.clearBackoff((id) => id === 's-0')
  assert.deepEqual(
    [...histories.notBeforeMs()],
    [
      ['s-0', 0],
      ['t-0', 1_000],
    ],
  )
  assert.equal(histories.of('s-0').failures, 3)
  histories.forget((id) => id === 't-0')
  assert.deepEqual([...histories.notBeforeMs().keys()], ['s-0'])
})
