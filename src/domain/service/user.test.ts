import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { planUser, userName, userRoles, viewUser } from './user.ts'

const pattern = new RegExp(userName.pattern)

test('a user may write unless it is made to read only', () => {
  assert.deepEqual(planUser({ name: 'etl' }), { user: { name: 'etl', role: 'readWrite' } })
  for (const role of userRoles)
    assert.deepEqual(planUser({ name: 'etl', role }), { user: { name: 'etl', role } })
})

test('names of the built-in user and of Granary are taken in every spelling', () => {
  for (const name of ['default', 'Default', 'DEFAULT', 'granary', 'granary_pipe', 'GRANARY-x', 'Granaryx']) {
    assert.match(name, pattern)
    const planned = planUser({ name })
    assert.ok('issues' in planned, name)
    assert.deepEqual(
      planned.issues.map(({ path, code }) => [path, code]),
      [[['name'], 'invalid_value']],
    )
  }
  for (const name of ['default1', '_default', 'my_granary', 'gran', 'defaults'])
    assert.deepEqual(planUser({ name }), { user: { name, role: 'readWrite' } })
})

test('a name begins with a letter or underscore and has nothing that a URL or header could break on', () => {
  for (const name of ['a', '_', 'Z9', 'etl.nightly', 'team-a_b', '__proto__']) assert.match(name, pattern)
  for (const name of ['', '1a', '.a', '-a', 'a b', 'a:b', 'a@b', 'a/b', 'é', 'a\n', "a'", 'a%00'])
    assert.doesNotMatch(name, pattern)
  fc.assert(
    fc.property(fc.stringMatching(pattern), (name) => {
      assert.equal(encodeURIComponent(name), name)
      assert.ok(!name.includes(':'))
    }),
    { seed: 3, numRuns: 200 },
  )
})

test('the view shows what is declared and nothing else that a record may carry', () => {
  const record = {
    id: 'u',
    serviceId: 's',
    name: 'etl',
    role: 'readOnly' as const,
    createdAtMs: 0,
    updatedAtMs: 1,
    passwordHash: 'hash',
  }
  assert.deepEqual(viewUser(record), {
    id: 'u',
    serviceId: 's',
    name: 'etl',
    role: 'readOnly',
    createdAt: '1970-01-01T00:00:00.000Z',
    updatedAt: '1970-01-01T00:00:00.001Z',
  })
})
