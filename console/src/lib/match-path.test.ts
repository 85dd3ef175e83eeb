import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillPattern, matchPath } from './match-path.ts'

test('a path fits a pattern of as many parts', () => {
  assert.deepEqual(matchPath('/', '/'), {})
  assert.deepEqual(matchPath('/services/:id', '/services/a%20b/'), { id: 'a b' })
  assert.deepEqual(matchPath('/services/:id/pipes/:pipeId', '/services/1/pipes/2'), { id: '1', pipeId: '2' })
  assert.equal(matchPath('/services/:id', '/services'), null)
  assert.equal(matchPath('/services/:id', '/services/1/tables'), null)
  assert.equal(matchPath('/services/:id', '/services/%zz'), null)
})

test('a filled pattern fits again', () => {
  const path = fillPattern('/sql/:serviceId', { serviceId: 'a/b' })
  assert.equal(path, '/sql/a%2Fb')
  assert.deepEqual(matchPath('/sql/:serviceId', path), { serviceId: 'a/b' })
})
