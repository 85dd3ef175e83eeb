import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTidying } from './tidy.ts'

test('a worker is tidied up when it first rests, and again only when it rests after work', () => {
  let [used, times] = [0, 0]
  const tidy = createTidying(
    () => used,
    () => {
      times += 1
      used += 3
    },
  )
  const after = (seconds: number): number => {
    used += seconds
    assert.equal(tidy(), used)
    return times
  }
  assert.equal(after(0.3), 0, 'it has just started')
  assert.equal(after(0.6), 0, 'it works')
  assert.equal(after(0.05), 1)
  for (let round = 0; round < 5; round++) assert.equal(after(0.05), 1, 'tidying is no work')
  assert.equal(after(30), 1, 'it works')
  assert.equal(after(0.01), 2)
  assert.equal(after(0.01), 2)
})
