import assert from 'node:assert/strict'
import { test } from 'node:test'
import { counted, idTail, listed, raised } from './words.ts'

test('words follow their number and their place', () => {
  assert.equal(counted(1, 'service'), '1 service')
  assert.equal(counted(0, 'reply', 'replies'), '0 replies')
  assert.equal(listed(['a', 'b', 'c']), 'a, b and c')
  assert.equal(listed([]), '')
  assert.equal(raised('all replicas serve'), 'All replicas serve')
  assert.equal(idTail('abcdefk4Q7'), '…k4Q7')
})
