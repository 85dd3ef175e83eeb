import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRoster } from './roster.ts'

test('a roster has what was added and not removed, and uses places again', () => {
  const roster = createRoster<string>()
  const [removeA, removeB] = [roster.add('a'), roster.add('b')]
  assert.deepEqual([...roster], ['a', 'b'])
  removeA()
  assert.deepEqual([...roster], ['b'])
  roster.add('c')
  roster.add('d')
  assert.deepEqual([...roster], ['c', 'b', 'd'])
  removeB()
  assert.deepEqual([...roster], ['c', 'd'])
})
