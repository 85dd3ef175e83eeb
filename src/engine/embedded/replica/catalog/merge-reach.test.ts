import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeReach } from './merge-reach.ts'

test('which tables a table over tables shows', () => {
  const reach = mergeReach("'d', '^a\\\\.b$'")
  assert.ok(reach('d', 'a.b'))
  assert.ok(!reach('d', 'axb'))
  assert.ok(!reach('e', 'a.b'))
  assert.ok(reach('d', null), 'some table of a database that is missing as a whole')
  assert.ok(!reach('e', null))
})

test('databases by a pattern', () => {
  const reach = mergeReach("REGEXP('^d'), 'x'")
  assert.ok(reach('day', 'xy'))
  assert.ok(!reach('night', 'xy'))
})

test('what is not understood reaches everything', () => {
  for (const text of ['', "currentDatabase(), ''", "'d', '(?P<x>a)(?i:b'", "'d', concat('a', 'b')", "'d'"]) {
    assert.ok(mergeReach(text)('d', 'anything'), text)
  }
})
