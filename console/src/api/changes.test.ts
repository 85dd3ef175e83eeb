import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf, concerns } from './changes.ts'

test('a change concerns what was read of its kind, of the same service and id', () => {
  const change = { resource: 'pipe', id: 'p-1', serviceId: 's-1' }
  assert.equal(concerns(change, 'pipes.list', { serviceId: 's-1' }), true)
  assert.equal(concerns(change, 'pipes.get', { serviceId: 's-1', pipeId: 'p-1' }), true)
  assert.equal(concerns(change, 'organizations.pipes'), true)
  assert.equal(concerns(change, 'pipes.list', { serviceId: 's-2' }), false)
  assert.equal(concerns(change, 'services.list'), false)
  assert.equal(concerns({ resource: 'service', id: 's-1', serviceId: null }, 'services.list'), true)
})

test('an event that is no change is left out', () => {
  assert.equal(changeOf('{"resource":1}'), null)
  assert.equal(changeOf('nothing'), null)
})
