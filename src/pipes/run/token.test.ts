import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readToken, tokenOf } from './token.ts'

const parts = { pipeId: 'p1', resync: 2, round: 0, sequence: 7 }

test('a token names its batch in few bytes, however long the positions are', () => {
  assert.equal(tokenOf(parts, 'orders/3', '10', '20'), 'p1:2.0:7:orders/3:10-20')
  const long = (last: string) =>
    tokenOf(parts, 'objects/0', `${'a/'.repeat(500)}1`, `${'a/'.repeat(500)}${last}`)
  assert.ok(long('2').length < 200)
  assert.notEqual(long('2'), long('3'))
  assert.deepEqual(readToken(long('2')), parts)
})
