import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestNames } from './nearest.ts'

test('the nearest names come first, and only near ones', () => {
  assert.deepEqual(nearestNames('servce', ['ts', 'body', 'service', 'level']), ['service'])
  assert.deepEqual(nearestNames('service_name', ['ServiceName', 'Service']), ['ServiceName'])
  assert.deepEqual(nearestNames('dur', ['duration', 'dir', 'body']), ['dir', 'duration'])
  assert.deepEqual(nearestNames('a', ['b', 'c', 'd', 'e', 'f', 'g']).length, 5)
  assert.deepEqual(nearestNames('x'.repeat(5000), ['service']), [])
})
