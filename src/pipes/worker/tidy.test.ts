import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTidying } from './tidy.ts'

test('a worker is tidied up when it first rests, and again only when it rests after work', () => {
  let times = 0
  const tidy = createTidying(() => {
    times += 1
  })
  const after = (cpuSeconds: number): number => {
    tidy(cpuSeconds)
    return times
  }
  assert.equal(after(0.3), 0, 'it has just started')
  assert.equal(after(0.9), 0, 'it works')
  assert.equal(after(0.95), 1)
  for (const cpuSeconds of [1, 1.05, 1.1, 1.15, 1.2]) assert.equal(after(cpuSeconds), 1)
  assert.equal(after(30), 1, 'it works')
  assert.equal(after(30.01), 2)
  assert.equal(after(30.02), 2)
})
