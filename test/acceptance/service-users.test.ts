import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { usersPerService } from '../../src/domain/service/user.ts'
import { newId } from '../../src/lib/ids.ts'
import {
  type Answer,
  assertInvalid,
  assertRefused,
  createWorld,
  makeKey,
  resultOf,
  type World,
} from '../support/walk.ts'

let world: World
let id: string
let users: string
before(async () => {
  world = await createWorld({ empty: true })
})
after(() => world.close())
beforeEach(async () => {
  id = await world.newService()
  users = `/services/${id}/users`
})

const create = (body: object): Promise<Answer> => world.api('POST', users, { name: 'etl', ...body })
const list = async () => resultOf(await world.api('GET', users))
const sha256 = (text: string) => createHash('sha256').update(text).digest('base64')
const hashOf = async (name: string) => (await world.store.serviceUsers.findByName(id, name))?.passwordHash

test('a user is made, listed, read, changed and deleted; its password is in one answer only', async () => {
  assert.deepEqual(await list(), [])
  const { user, password } = resultOf(await create({ name: 'grafana', role: 'readOnly' }))
  const now = new Date(world.clock.now()).toISOString()
  const { id: userId, ...rest } = user
  assert.deepEqual(rest, { serviceId: id, name: 'grafana', role: 'readOnly', createdAt: now, updatedAt: now })
  assert.match(password, /^[A-Za-z0-9]{32}$/)
  await world.clock.advance(1_000)
  const second = resultOf(await create({}))
  assert.equal(second.user.role, 'readWrite')
  assert.notEqual(second.password, password)
  const listed = await world.api('GET', users)
  assert.deepEqual(resultOf(listed), [user, second.user])
  const read = await world.api('GET', `${users}/${userId}`)
  assert.deepEqual(resultOf(read), user)

  const changed = resultOf(await world.api('PATCH', `${users}/${userId}`, { role: 'readWrite' }))
  const updatedAt = new Date(world.clock.now()).toISOString()
  assert.deepEqual(changed, { ...user, role: 'readWrite', updatedAt })
  const trail = await world.api('GET', '/activities')
  for (const { text } of [listed, read, trail]) assert.ok(!text.includes(password), 'the password is shown')
  assert.deepEqual(resultOf(await world.api('DELETE', `${users}/${userId}`)), changed)
  assertRefused(await world.api('GET', `${users}/${userId}`), 404, 'NOT_FOUND')
  assertRefused(await world.api('DELETE', `${users}/${userId}`), 404, 'NOT_FOUND')
  assert.deepEqual(await list(), [second.user])
})

describe('a password', () => {
  test('is kept as the hash of the one that was answered', async () => {
    const { password } = resultOf(await create({ name: 'made' }))
    const own = resultOf(await create({ name: 'own', passwordHash: sha256(password) }))
    assert.equal(own.password, '')
    const hash = await hashOf('made')
    assert.equal(await hashOf('own'), hash)
    for (const plain of [password, sha256(password)]) assert.ok(!hash?.includes(plain))
  })

  test('is replaced by one that is made, or by the hash of one’s own', async () => {
    const { user, password } = resultOf(await create({}))
    const path = `${users}/${user.id}/password`
    const first = await hashOf('etl')
    await world.clock.advance(1_000)
    const made = resultOf(await world.api('PATCH', path, {}))
    assert.match(made.password, /^[A-Za-z0-9]{32}$/)
    assert.notEqual(made.password, password)
    const second = await hashOf('etl')
    assert.notEqual(second, first)
    const newPasswordHash = sha256(password)
    assert.deepEqual(resultOf(await world.api('PATCH', path, { newPasswordHash })), { password: '' })
    assert.equal(await hashOf('etl'), first)
    const [shown] = await list()
    assert.deepEqual(shown, { ...user, updatedAt: new Date(world.clock.now()).toISOString() })
  })

  test('of one’s own is given as base64 of 32 bytes', async () => {
    const { user } = resultOf(await create({}))
    for (const wrong of ['abc', createHash('sha1').update('x').digest('base64'), '='.repeat(44), '']) {
      assertInvalid(await create({ name: 'b', passwordHash: wrong }), 'passwordHash: invalid_format')
      const answer = await world.api('PATCH', `${users}/${user.id}/password`, { newPasswordHash: wrong })
      assertInvalid(answer, 'newPasswordHash: invalid_format')
    }
    assertInvalid(await create({ name: 'b', password: 'plain' }), 'password: unknown_field')
    assert.equal((await list()).length, 1)
  })
})

describe('a name', () => {
  test('has 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or underscore', async () => {
    for (const name of ['a', '_', 'x'.repeat(64), 'Team.a-b_9', '__proto__'])
      assert.equal(resultOf(await create({ name })).user.name, name)
    assertInvalid(await create({ name: '' }), 'name: too_short', 'name: invalid_format')
    assertInvalid(await create({ name: 'x'.repeat(65) }), 'name: too_long')
    for (const name of ['1a', '.a', '-a', 'a b', 'a:b', 'a\n', 'é', 'a@b'])
      assertInvalid(await create({ name }), 'name: invalid_format')
    for (const name of [1, null, ['a']]) assertInvalid(await create({ name }), 'name: invalid_type')
    assertInvalid(await world.api('POST', users, {}), 'name: required')
  })

  test('that is reserved is refused, together with whatever else is wrong', async () => {
    for (const name of ['default', 'Default', 'granary', 'granary_pipes', 'GRANARY'])
      assertInvalid(await create({ name }), 'name: invalid_value')
    assertInvalid(
      await create({ name: 'default', role: 'admin', passwordHash: 'short', surprise: 1 }),
      'name: invalid_value',
      'role: invalid_value',
      'passwordHash: invalid_format',
      'surprise: unknown_field',
    )
    assert.deepEqual(await list(), [])
  })

  test('is given once in a service, also when two ask at once; it is free again after deletion', async () => {
    const answers = await Promise.all([create({}), create({})])
    const refused = answers.find(({ status }) => status !== 200) ?? assert.fail('both were made')
    assertRefused(refused, 409, 'CONFLICT')
    assertRefused(await create({ role: 'readOnly' }), 409, 'CONFLICT')
    const [user] = await list()
    const other = `/services/${await world.newService()}/users`
    resultOf(await world.api('POST', other, { name: 'etl' }))
    resultOf(await create({ name: 'ETL' }))
    resultOf(await world.api('DELETE', `${users}/${user.id}`))
    assert.notEqual(resultOf(await create({})).user.id, user.id)
  })

  test('does not change', async () => {
    const { user } = resultOf(await create({}))
    assertInvalid(await world.api('PATCH', `${users}/${user.id}`, { name: 'b' }), 'name: unknown_field')
  })
})

test('a service has at most 100 users; deleting one makes room', async () => {
  for (let n = 0; n < usersPerService; n += 1) resultOf(await create({ name: `user_${n}` }))
  const refused = await create({ name: 'one_more' })
  assertRefused(refused, 422, 'QUOTA_EXCEEDED')
  assert.match(refused.body.error, /at most 100 users/)
  // A malformed request gets its issues, even when there is no room for another user.
  assertInvalid(await create({ name: 'default' }), 'name: invalid_value')
  assertRefused(await create({ name: 'user_0' }), 409, 'CONFLICT')
  const [first, ...others] = await list()
  assert.equal(others.length, usersPerService - 1)
  resultOf(await world.api('DELETE', `${users}/${first.id}`))
  resultOf(await create({ name: 'one_more' }))
})

test('a change that changes nothing leaves no trace', async () => {
  const { user } = resultOf(await create({ role: 'readOnly' }))
  const trail = resultOf(await world.api('GET', '/activities'))
  await world.clock.advance(1_000)
  for (const body of [{}, { role: 'readOnly' }])
    assert.deepEqual(resultOf(await world.api('PATCH', `${users}/${user.id}`, body)), user)
  assert.deepEqual(resultOf(await world.api('GET', '/activities')), trail)
  assertInvalid(await world.api('PATCH', `${users}/${user.id}`, { role: 'owner' }), 'role: invalid_value')
})

describe('users are reached through their own service only', () => {
  test('not through another one of the organization', async () => {
    const { user } = resultOf(await create({}))
    const elsewhere = `/services/${await world.newService()}/users/${user.id}`
    for (const [method, path, body] of [
      ['GET', elsewhere, undefined],
      ['PATCH', elsewhere, { role: 'readOnly' }],
      ['PATCH', `${elsewhere}/password`, {}],
      ['DELETE', elsewhere, undefined],
    ] as const)
      assertRefused(await world.api(method, path, body), 404, 'NOT_FOUND')
    assert.deepEqual(await list(), [user])
  })

  test('not with a key of another organization, whose path is as unknown as the service in it', async () => {
    const { user } = resultOf(await create({}))
    const { organizationId, management: authorization } = world.other
    for (const organization of [organizationId, world.main.organizationId]) {
      const path = `/v1/organizations/${organization}${users}`
      const body = { name: 'thief' }
      assertRefused(await world.raw('POST', path, { authorization, body }), 404, 'NOT_FOUND')
      assertRefused(await world.raw('GET', path, { authorization }), 404, 'NOT_FOUND')
      assertRefused(await world.raw('DELETE', `${path}/${user.id}`, { authorization }), 404, 'NOT_FOUND')
    }
    assertRefused(await world.api('POST', `/services/${newId()}/users`, { name: 'a' }), 404, 'NOT_FOUND')
    assert.deepEqual(await list(), [user])
  })

  test('read by a developer of the service, changed by its admin', async () => {
    const { user } = resultOf(await create({}))
    const as = async (role: string) =>
      (await makeKey(world, { serviceGrants: [{ serviceId: id, role }] })).authorization
    const developer = await as('developer')
    assert.deepEqual(resultOf(await world.api('GET', users, undefined, developer)), [user])
    const refused = await world.api('POST', users, { name: 'b' }, developer)
    assertRefused(refused, 403, 'FORBIDDEN')
    assert.equal(refused.body.permission, 'services:manage')
    resultOf(await world.api('POST', users, { name: 'b' }, await as('admin')))
  })
})

test('a service that is being deleted takes no change of users, but still shows them', async () => {
  id = await world.newStoppedService()
  users = `/services/${id}/users`
  const { user } = resultOf(await create({}))
  resultOf(await world.api('DELETE', `/services/${id}`))
  for (const [method, path, body] of [
    ['POST', users, { name: 'late' }],
    ['PATCH', `${users}/${user.id}`, { role: 'readOnly' }],
    ['PATCH', `${users}/${user.id}/password`, {}],
    ['DELETE', `${users}/${user.id}`, undefined],
  ] as const) {
    const refused = await world.api(method, path, body)
    assertRefused(refused, 409, 'CONFLICT')
    assert.equal(refused.body.currentState, 'terminating')
  }
  assert.deepEqual(await list(), [user])
})
