import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseBuffer } from './release-buffer.ts'

test('a large buffer is left empty, also one that was left so before', () => {
  const bytes = Buffer.alloc(64 * 1024)
  releaseBuffer(bytes)
  releaseBuffer(bytes)
  assert.equal(bytes.length, 0)
  assert.equal(bytes.buffer.byteLength, 0)
})

test('a part of a larger buffer and a small one stay as they are', () => {
  const whole = Buffer.alloc(64 * 1024)
  for (const bytes of [whole.subarray(1), whole.subarray(0, -1), Buffer.alloc(100), Buffer.from('pooled')]) {
    const { length } = bytes
    releaseBuffer(bytes)
    assert.equal(bytes.length, length)
  }
})
