import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withQuery } from './query.ts'

test('a changed query keeps what it does not name', () => {
  assert.equal(withQuery('?q=a&sort=name', { sort: 'need' }), '?q=a&sort=need')
  assert.equal(withQuery('?q=a', { q: null }), '')
  assert.equal(withQuery('', { show: 'table,plot', q: 'a b' }), '?show=table,plot&q=a+b')
})
