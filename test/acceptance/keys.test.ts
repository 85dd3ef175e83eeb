import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { basic } from '../support/server.ts'
import {
  type Answer,
  assertInvalid,
  assertRefused,
  bearer,
  createWorld,
  makeKey,
  resultOf,
  type World,
} from '../support/walk.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const post = (body: object): Promise<Answer> => world.api('POST', '/keys', { name: 'test', ...body })
const patch = (id: string, body: object, as?: string): Promise<Answer> =>
  world.api('PATCH', `/keys/${id}`, body, as)
const remove = (id: string, as?: string): Promise<Answer> => world.api('DELETE', `/keys/${id}`, undefined, as)
const asks = (authorization: string): Promise<Answer> => world.api('GET', '', undefined, authorization)

describe('a key', () => {
  test('is made with its secret shown once, listed, read, changed and deleted', async () => {
    await world.clock.advance(1)
    const made = resultOf(await post({ name: 'deploy', roles: ['admin'] }))
    assert.match(made.keyId, /^[A-Za-z0-9]{20}$/)
    assert.match(made.keySecret, /^[A-Za-z0-9]{40}$/)
    assert.equal(made.token, '')
    assert.equal(made.key.keySuffix, made.keyId.slice(-4))
    assert.deepEqual(
      [made.key.kind, made.key.state, made.key.expireAt, made.key.usedAt],
      ['management', 'enabled', null, null],
    )
    const { id } = made.key
    assert.deepEqual(resultOf(await world.api('GET', `/keys/${id}`)), made.key)
    const list = await world.api('GET', '/keys')
    assert.deepEqual(resultOf(list).at(-1), made.key)
    for (const secret of [made.keyId, made.keySecret]) assert.ok(!list.text.includes(secret))

    const authorization = basic(made)
    resultOf(await asks(authorization))
    const used = resultOf(await world.api('GET', `/keys/${id}`)).usedAt
    assert.equal(Date.parse(used) % 60_000, 0, 'to the minute')
    const renamed = resultOf(await patch(id, { name: 'renamed' }))
    assert.deepEqual([renamed.name, renamed.roles], ['renamed', ['admin']])
    resultOf(await remove(id))
    assert.equal((await world.api('GET', `/keys/${id}`)).status, 404)
    assert.equal((await asks(authorization)).status, 401)
  })

  test('for the dashboard API is a token', async () => {
    const made = resultOf(await post({ kind: 'dashboard', roles: ['admin'] }))
    assert.deepEqual([made.keyId, made.keySecret], ['', ''])
    assert.match(made.token, /^[A-Za-z0-9]{40}$/)
    assert.equal(made.key.keySuffix, made.token.slice(-4))
    resultOf(await world.call('dashboards.list', { authorization: bearer(made.token) }))
    assert.equal((await asks(bearer(made.token))).status, 401)
    assert.equal((await asks(basic({ keyId: made.token, keySecret: made.token }))).status, 401)
    assertInvalid(await patch(made.key.id, { kind: 'management' }), 'kind: unknown_field')
  })

  test('that is disabled is refused until it is enabled again', async () => {
    const { id, authorization } = await makeKey(world, { roles: ['developer'] })
    resultOf(await patch(id, { state: 'disabled' }))
    const refused = await asks(authorization)
    assertRefused(refused, 401, 'UNAUTHORIZED')
    assert.match(refused.body.error, /disabled/)
    resultOf(await patch(id, { state: 'enabled' }))
    resultOf(await asks(authorization))
  })

  test('ends at its expiry; null lifts it, absence keeps it', async () => {
    const expireAt = new Date(world.clock.now() + 10_000).toISOString()
    const { id, authorization } = await makeKey(world, { roles: ['developer'], expireAt })
    assert.equal(resultOf(await patch(id, { name: 'ends' })).expireAt, expireAt)
    await world.clock.advance(9_999)
    resultOf(await asks(authorization))
    await world.clock.advance(1)
    const refused = await asks(authorization)
    assertRefused(refused, 401, 'UNAUTHORIZED')
    assert.match(refused.body.error, /expired/)
    assert.equal(resultOf(await patch(id, { expireAt: null })).expireAt, null)
    resultOf(await asks(authorization))
  })

  test('takes only times that exist', async () => {
    const zoned = resultOf(await post({ expireAt: '2099-12-31t23:59:59.5+02:00' })).key.expireAt
    assert.equal(zoned, '2099-12-31T21:59:59.500Z')
    const wrong = [
      '2030-01-01',
      '2030-01-01T00:00:00',
      '2030-02-30T00:00:00Z',
      '2016-12-31T23:59:60Z',
      '2030-01-01T24:00:00Z',
      '2030-01-01T00:00:00+05',
      '2030-01-01 00:00:00Z',
      '9999-12-31T23:59:59-23:59',
      '0000-01-01T00:00:00+00:01',
      'never',
      '',
    ]
    for (const expireAt of wrong) assertInvalid(await post({ expireAt }), 'expireAt: invalid_format')
    assertInvalid(await post({ expireAt: 4102444800000 }), 'expireAt: invalid_type')
  })

  test('works only from the addresses of its list', async () => {
    const { id, authorization } = await makeKey(world, {
      roles: ['developer'],
      ipAccessList: [{ source: '10.0.0.0/8' }],
    })
    const refused = await asks(authorization)
    assertRefused(refused, 403, 'FORBIDDEN')
    assert.match(refused.body.error, /address/)
    resultOf(await patch(id, { ipAccessList: [{ source: '127.0.0.1', description: 'Here' }] }))
    resultOf(await asks(authorization))
    resultOf(await patch(id, { ipAccessList: [] }))
    assertRefused(await asks(authorization), 403, 'FORBIDDEN')
  })

  test('has roles out of the two that exist, each once', async () => {
    assertInvalid(await post({ roles: ['owner'] }), 'roles[0]: invalid_value')
    assertInvalid(await post({ roles: ['admin', 'admin'] }), 'roles: duplicate')
    assert.deepEqual(resultOf(await post({ roles: ['developer', 'admin'] })).key.roles, [
      'developer',
      'admin',
    ])
    assert.deepEqual(resultOf(await post({})).key.roles, [])
  })

  test('is not changed by an empty change', async () => {
    const { id } = await makeKey(world, { roles: ['developer'] })
    const before = resultOf(await world.api('GET', `/keys/${id}`))
    const last = resultOf(await world.api('GET', '/activities?limit=1'))
    assert.deepEqual(resultOf(await patch(id, {})), before)
    assert.deepEqual(resultOf(await world.api('GET', '/activities?limit=1')), last)
  })
})

describe('somebody can always manage the organization', () => {
  test('a key cannot delete itself', async () => {
    const { id, authorization } = await makeKey(world, { roles: ['admin'] })
    const refused = await remove(id, authorization)
    assertRefused(refused, 409, 'CONFLICT')
    assert.match(refused.body.error, /itself/)
    resultOf(await remove(id))
  })

  test('the last usable admin key stays one', async () => {
    const lone = await createWorld({ empty: true })
    try {
      const [first] = resultOf(await lone.api('GET', '/keys')).filter(
        (key: { kind: string }) => key.kind === 'management',
      )
      // None of these can manage keys: a reader, a disabled, an expiring, an unreachable key, and a token.
      await makeKey(lone, { roles: ['developer'] })
      await makeKey(lone, { roles: ['admin'], state: 'disabled' })
      await makeKey(lone, { roles: ['admin'], expireAt: new Date(lone.clock.now() + 1).toISOString() })
      await makeKey(lone, { roles: ['admin'], ipAccessList: [] })
      await makeKey(lone, { roles: ['admin'], kind: 'dashboard' })
      await lone.clock.advance(1)
      const past = new Date(lone.clock.now()).toISOString()
      for (const change of [
        { state: 'disabled' },
        { roles: ['developer'] },
        { roles: [] },
        { expireAt: past },
        { ipAccessList: [] },
      ])
        assertRefused(await lone.api('PATCH', `/keys/${first.id}`, change), 409, 'CONFLICT')
      const second = await makeKey(lone, { roles: ['admin'] })
      resultOf(await lone.api('PATCH', `/keys/${first.id}`, { roles: ['developer'] }))
      const answer = await lone.api(
        'PATCH',
        `/keys/${second.id}`,
        { state: 'disabled' },
        second.authorization,
      )
      assertRefused(answer, 409, 'CONFLICT')
    } finally {
      await lone.close()
    }
  })
})

test('two admins who end each other at once leave one', async () => {
  const duel = await createWorld({ empty: true })
  try {
    const [first] = resultOf(await duel.api('GET', '/keys')).filter(
      (key: { kind: string }) => key.kind === 'management',
    )
    const second = await makeKey(duel, { roles: ['admin'] })
    const answers = await Promise.all([
      duel.api('PATCH', `/keys/${second.id}`, { state: 'disabled' }),
      duel.api('PATCH', `/keys/${first.id}`, { state: 'disabled' }, second.authorization),
    ])
    // The second request is refused: by the rule, or because its key is already disabled.
    const statuses = answers.map(({ status }) => status).sort()
    assert.ok(statuses[0] === 200 && [401, 409].includes(statuses[1] ?? 0), String(statuses))
    const keys = await duel.store.keys.list(duel.main.organizationId)
    const admins = keys.filter((key) => key.kind === 'management' && key.state === 'enabled')
    assert.equal(admins.length, 1)
  } finally {
    await duel.close()
  }
})

describe('grants on single services', () => {
  let granted: string
  let hidden: string
  before(async () => {
    granted = await world.newService()
    hidden = await world.newService()
  })

  test('show only those services; others are not found', async () => {
    const { authorization } = await makeKey(world, {
      serviceGrants: [{ serviceId: granted, role: 'developer' }],
    })
    const get = (path: string) => world.api('GET', path, undefined, authorization)
    const listed = resultOf(await get('/services')).map((service: { id: string }) => service.id)
    assert.deepEqual(listed, [granted])
    for (const part of ['', '/pipes', '/backups', '/backupConfiguration', '/prometheus']) {
      assert.equal((await get(`/services/${granted}${part}`)).status, 200, part)
      assertRefused(await get(`/services/${hidden}${part}`), 404, 'NOT_FOUND')
    }
    resultOf(await get(''))
    for (const [path, permission] of [
      ['/keys', 'keys:view'],
      ['/activities', 'activities:view'],
      ['/prometheus', 'metrics:view'],
    ] as const)
      assertForbidden(await get(path), permission)
  })

  test('a developer of a service reads it, an admin changes it, neither makes one', async () => {
    const as = async (role: string) =>
      (await makeKey(world, { serviceGrants: [{ serviceId: granted.toUpperCase(), role }] })).authorization
    const developer = await as('developer')
    const admin = await as('admin')
    const rename = (id: string, authorization: string) =>
      world.api('PATCH', `/services/${id}`, { name: 'renamed' }, authorization)
    assertForbidden(await rename(granted, developer), 'services:manage')
    assertForbidden(
      await world.api('POST', `/services/${granted}/backups`, undefined, developer),
      'backups:manage',
    )
    assert.equal(resultOf(await rename(granted, admin)).name, 'renamed')
    resultOf(await world.api('POST', `/services/${granted}/backups`, undefined, admin))
    assertRefused(await rename(hidden, admin), 404, 'NOT_FOUND')
    assertForbidden(await world.api('POST', '/services', { name: 'new' }, admin), 'services:create')
    assertForbidden(await world.api('POST', '/keys', { name: 'new' }, admin), 'keys:manage')
    assertForbidden(await world.api('PATCH', '', { name: 'new' }, admin), 'organization:manage')
  })

  test('name services of the organization, each once', async () => {
    const grant = (serviceId: string) => ({ serviceId, role: 'admin' })
    const unknown = '99999999-9999-4999-8999-999999999999'
    assertInvalid(
      await post({ serviceGrants: [grant(granted), grant(unknown)] }),
      'serviceGrants[1].serviceId: not_found',
    )
    assertInvalid(
      await post({ serviceGrants: [grant(granted), grant(granted)] }),
      'serviceGrants[1].serviceId: duplicate',
    )
    assertInvalid(
      await post({ serviceGrants: [{ serviceId: granted, role: 'x' }] }),
      'serviceGrants[0].role: invalid_value',
    )
  })
})

function assertForbidden(answer: Answer, permission: string): void {
  assertRefused(answer, 403, 'FORBIDDEN')
  assert.equal(answer.body.permission, permission)
  assert.ok(answer.body.error.includes(permission))
}
