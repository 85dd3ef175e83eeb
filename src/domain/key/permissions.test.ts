import assert from 'node:assert/strict'
import { test } from 'node:test'
import { access, permissions, visibleServices } from './permissions.ts'
import type { KeyRecord, KeyRole } from './types.ts'

const key = (roles: KeyRole[], grants: Record<string, KeyRole> = {}) =>
  ({
    roles,
    serviceGrants: Object.entries(grants).map(([serviceId, role]) => ({ serviceId, role })),
  }) as KeyRecord

const views = permissions.filter((permission) => permission.endsWith(':view'))
const changes = permissions.filter((permission) => !permission.endsWith(':view'))

test('an admin may do everything, a developer may read everything, on any service or none', () => {
  for (const serviceId of [undefined, 'a']) {
    for (const permission of permissions)
      assert.equal(access(key(['admin']), permission, serviceId), 'allowed')
    for (const permission of views) assert.equal(access(key(['developer']), permission, serviceId), 'allowed')
    for (const permission of changes)
      assert.equal(access(key(['developer']), permission, serviceId), 'forbidden')
  }
})

test('a key without roles knows its organization and nothing else', () => {
  for (const permission of permissions) {
    const expected = permission === 'organization:view' ? 'allowed' : 'forbidden'
    assert.equal(access(key([]), permission), expected, permission)
    assert.equal(access(key([]), permission, 'a'), 'hidden', permission)
  }
})

test('a grant reaches its service and nothing beyond', () => {
  const onService = ['services', 'pipes', 'backups', 'metrics']
  for (const role of ['admin', 'developer'] as const) {
    const granted = key([], { a: role })
    for (const permission of permissions) {
      const [noun = '', verb] = permission.split(':')
      const reaches = onService.includes(noun) && verb !== 'create' && (role === 'admin' || verb === 'view')
      assert.equal(
        access(granted, permission, 'a'),
        reaches ? 'allowed' : 'forbidden',
        `${role} ${permission}`,
      )
      assert.equal(access(granted, permission, 'b'), 'hidden')
      if (permission !== 'organization:view') assert.equal(access(granted, permission), 'forbidden')
    }
  }
})

test('role and grant add up', () => {
  const both = key(['developer'], { a: 'admin' })
  assert.equal(access(both, 'services:manage', 'a'), 'allowed')
  assert.equal(access(both, 'services:manage', 'b'), 'forbidden')
  assert.equal(access(both, 'services:view', 'b'), 'allowed')
})

test('lists show all services to those with a role, the granted ones to others', () => {
  assert.equal(visibleServices(key(['developer'], { a: 'admin' })), 'all')
  assert.deepEqual(visibleServices(key([], { a: 'admin', b: 'developer' })), new Set(['a', 'b']))
  assert.deepEqual(visibleServices(key([])), new Set())
})
