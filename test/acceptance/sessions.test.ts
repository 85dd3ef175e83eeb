import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { maxSessionsPerKey, sessionIdleMs } from '../../src/domain/session/types.ts'
import { failureWindowMs, maxFailures } from '../../src/lib/failed-logins.ts'
import {
  type Answer,
  assertInvalid,
  assertRefused,
  type CallOptions,
  createWorld,
  resultOf,
  type World,
} from '../support/walk.ts'

let world: World
before(async () => {
  world = await createWorld({ env: { GRANARY_TRUST_PROXY: '127.0.0.1' } })
})
after(() => world.close())

const mainKey = { keyId: 'mainKey', keySecret: 'main-secret-0123' }
const ownPage = { 'sec-fetch-site': 'same-origin' }
const keys = () => `/v1/organizations/${world.main.organizationId}/keys`
const sessions = () => `/v1/organizations/${world.main.organizationId}/sessions`

const signIn = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  world.raw('POST', '/v1/session', { authorization: '', body, headers })
const secretIn = (answer: Answer): string =>
  /granary_session=(\w*)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? ''
/** The `Cookie` header of a new session. */
const cookieFor = async (body: unknown): Promise<string> => {
  const answer = await signIn(body)
  assert.equal(answer.status, 200, answer.text)
  return `granary_session=${secretIn(answer)}`
}
const by = (cookie: string, method: string, path: string, given: CallOptions = {}): Promise<Answer> =>
  world.raw(method, path, { authorization: '', ...given, headers: { ...ownPage, cookie, ...given.headers } })
const statusOf = async (cookie: string): Promise<number> => (await by(cookie, 'GET', '/v1/session')).status

/** A new key with what signs it in. */
async function newKey(body: object): Promise<{ id: string; login: object }> {
  const { key, keyId, keySecret, token } = resultOf(
    await world.raw('POST', keys(), { body: { name: 'short', roles: ['admin'], ...body } }),
  )
  return { id: key.id, login: token ? { token } : { keyId, keySecret } }
}

describe('signing in', () => {
  test('answers who one is and sets a cookie that scripts and other sites do not get', async () => {
    const answer = await signIn(mainKey, { 'user-agent': 'Firefox' })
    const identity = resultOf(answer)
    assert.match(
      answer.headers.get('set-cookie') ?? '',
      /^granary_session=[A-Za-z0-9]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Strict$/,
    )
    assert.equal(answer.headers.get('access-control-allow-origin'), null)
    assert.equal(identity.expireAt, new Date(world.clock.now() + sessionIdleMs).toISOString())
    assert.equal(identity.organization.id, world.main.organizationId)
    assert.deepEqual(
      [identity.key.kind, identity.key.roles, identity.services],
      ['management', ['admin'], 'all'],
    )
    assert.ok(
      identity.permissions.includes('keys:manage') && identity.permissions.includes('dashboards:manage'),
    )
    assert.ok(!answer.text.includes(secretIn(answer)), 'the secret is in the cookie alone')
    const again = await by(`granary_session=${secretIn(answer)}`, 'GET', '/v1/session')
    assert.deepEqual(resultOf(again), identity)
    assert.equal(again.headers.get('cache-control'), 'no-store')
  })

  test('makes the cookie Secure where a trusted proxy speaks TLS', async () => {
    const answer = await signIn(mainKey, { 'x-forwarded-proto': 'https' })
    assert.match(answer.headers.get('set-cookie') ?? '', /; Secure$/)
    const out = await by(`granary_session=${secretIn(answer)}`, 'DELETE', '/v1/session', {
      headers: { 'x-forwarded-proto': 'https' },
    })
    assert.match(out.headers.get('set-cookie') ?? '', /^granary_session=; .*Max-Age=0.*; Secure$/)
  })

  test('never takes over a secret that the browser came with', async () => {
    const planted = 'A'.repeat(43)
    const answer = await signIn(mainKey, { cookie: `granary_session=${planted}` })
    assert.notEqual(secretIn(answer), planted)
    assert.equal(await statusOf(`granary_session=${planted}`), 401)
  })

  test('with a wrong key gives one message, no cookie, and no challenge that a browser would answer', async () => {
    const texts = new Set<string>()
    for (const body of [
      { ...mainKey, keySecret: 'wrong' },
      { keyId: 'nobody', keySecret: 'wrong' },
    ]) {
      const answer = await signIn(body)
      assertRefused(answer, 401, 'UNAUTHORIZED')
      assert.equal(answer.headers.get('set-cookie'), null)
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Session /)
      texts.add(answer.body.error)
    }
    assert.deepEqual([...texts], ['UNAUTHORIZED: the key is unknown or wrong'])
    assertRefused(await signIn({ token: 'nobody' }), 401, 'UNAUTHORIZED')
    // The secret of a key is no token, and a token is no key.
    assertRefused(await signIn({ token: 'main-secret-0123' }), 401, 'UNAUTHORIZED')
    assertRefused(await signIn({ keyId: 'x', keySecret: 'main-token-01234' }), 401, 'UNAUTHORIZED')
    await world.clock.advance(failureWindowMs)
  })

  test('names the field that is missing, too much or malformed', async () => {
    assertInvalid(await signIn({}), 'keyId: required', 'keySecret: required')
    assertInvalid(await signIn({ keyId: 'a' }), 'keySecret: required')
    assertInvalid(await signIn({ ...mainKey, token: 'x' }), 'token: not_allowed')
    assertInvalid(
      await signIn({ keyId: 'a:b', keySecret: 'c\u0001' }),
      'keyId: invalid_format',
      'keySecret: invalid_format',
    )
    assertInvalid(await signIn({ token: 'a b' }), 'token: invalid_format')
    assertInvalid(await signIn({ token: '' }), 'token: too_short')
    assert.equal((await signIn({ token: 'x'.repeat(20_000) })).status, 413)
  })

  test('is limited by address as every login is, and a page with a dead cookie locks nobody out', async () => {
    const from = { 'x-forwarded-for': '203.0.113.7' }
    for (let n = 0; n < maxFailures * 2; n++)
      assert.equal(
        (await by(`granary_session=${'d'.repeat(43)}`, 'GET', '/v1/session', { headers: from })).status,
        401,
      )
    assert.equal((await signIn(mainKey, from)).status, 200)
    const { login } = await newKey({})
    for (let n = 0; n < maxFailures; n++) await signIn({ keyId: 'nobody', keySecret: `${n}` }, from)
    const refused = await signIn(login, from)
    assertRefused(refused, 429, 'TOO_MANY_REQUESTS')
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal((await signIn(login, { 'x-forwarded-for': '203.0.113.8' })).status, 200)
    await world.clock.advance(failureWindowMs)
  })

  test('guessed secrets are limited by address too', async () => {
    const guess = (n: number) =>
      by(`granary_session=${`g${n}`.padEnd(43, 'x')}`, 'GET', '/v1/session', {
        headers: { 'x-forwarded-for': '203.0.113.9' },
      })
    for (let n = 0; n < maxFailures; n++) assert.equal((await guess(n)).status, 401)
    assert.equal((await guess(maxFailures)).status, 429)
    await world.clock.advance(failureWindowMs)
  })
})

describe('a cookie', () => {
  test('is found among others; what is malformed, overlong or sent twice is no session', async () => {
    const cookie = await cookieFor(mainKey)
    const secret = cookie.split('=')[1] ?? ''
    const accepted = [
      `a=b; ${cookie}; c="d;e"`,
      `${cookie};`,
      `; ;=;${cookie}`,
      `${cookie}; ${cookie}`,
      `x; ${cookie}`,
    ]
    for (const header of accepted) assert.equal(await statusOf(header), 200, header)
    const refused = [
      `granary_session=`,
      `granary_session`,
      `Granary_Session=${secret}`,
      `granary_session="${secret}"`,
      `granary_session=${secret}x`,
      `granary_session=${secret.slice(1)}`,
      `granary_session=${'x'.repeat(9000)}`,
      `granary_session=${secret}; granary_session=${'y'.repeat(43)}`,
      `granary_session=${'y'.repeat(43)}; ${cookie}`,
      `xgranary_session=${secret}`,
      'granary_session=\u00ff',
    ]
    for (const header of refused) assert.equal(await statusOf(header), 401, header)
    await world.clock.advance(failureWindowMs)
  })

  test('counts only where there is no Authorization', async () => {
    const cookie = await cookieFor(mainKey)
    const dead = `granary_session=${'z'.repeat(43)}`
    assert.equal(
      (await by(dead, 'GET', '/v1/organizations', { authorization: world.main.management })).status,
      200,
    )
    assert.equal((await by(cookie, 'GET', '/v1/organizations', { authorization: 'Basic !!' })).status, 401)
    const identity = resultOf(await by(cookie, 'GET', '/v1/session', { authorization: world.main.dashboard }))
    assert.deepEqual([identity.id, identity.key.kind], [null, 'dashboard'])
  })

  test('without one, a browser gets no challenge that it would answer with a dialog', async () => {
    const answer = await world.raw('GET', keys(), { authorization: '', headers: ownPage })
    assertRefused(answer, 401, 'UNAUTHORIZED')
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Session /)
  })
})

describe('a page of another origin', () => {
  const host = 'granary.example:8080'
  const patch = async (headers: Record<string, string>) => {
    const cookie = await cookieFor(mainKey)
    return world.raw('PATCH', `/v1/organizations/${world.main.organizationId}`, {
      ...{ authorization: '', body: { name: 'Acme' } },
      headers: { cookie, host, ...headers },
    })
  }

  test('changes nothing, whatever it sends', async () => {
    const refused: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': '' },
      { 'sec-fetch-site': 'same-site', origin: `http://${host}` },
      { origin: 'https://evil.example' },
      { origin: 'http://granary.example:3000' },
      { origin: 'http://granary.example' },
      { origin: `http://${host}.evil.example` },
      { origin: 'null' },
      { origin: '' },
      { referer: `http://${host}/` },
    ]
    for (const headers of refused) assertRefused(await patch(headers), 403, 'FORBIDDEN')
  })

  test('is told from one of this origin by Sec-Fetch-Site, else by Origin', async () => {
    for (const headers of [ownPage, { origin: `http://${host}` }, { origin: 'HTTP://Granary.Example:8080' }])
      assert.equal((await patch(headers)).status, 200, JSON.stringify(headers))
    const proxied = { 'x-forwarded-host': 'data.example', 'x-forwarded-proto': 'https' }
    assert.equal((await patch({ ...proxied, origin: 'https://data.example' })).status, 200)
    assert.equal((await patch({ ...proxied, origin: `http://${host}` })).status, 403)
  })

  test('may not read by session either, nor sign anybody in', async () => {
    const cookie = await cookieFor(mainKey)
    for (const site of ['cross-site', 'same-site'])
      assert.equal((await by(cookie, 'GET', keys(), { headers: { 'sec-fetch-site': site } })).status, 403)
    assert.equal((await by(cookie, 'GET', keys(), { headers: { 'sec-fetch-site': 'none' } })).status, 200)
    const bare = { authorization: '', headers: { cookie } }
    assert.equal((await world.raw('GET', keys(), bare)).status, 200, 'no page sees this answer')
    assert.equal((await signIn(mainKey, { 'sec-fetch-site': 'cross-site' })).status, 403)
    assert.equal((await signIn(mainKey, { origin: 'https://evil.example' })).status, 403)
    const preflight = await world.raw('OPTIONS', '/v1/session', {
      ...{ authorization: '' },
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    assert.equal(preflight.status, 405)
    for (const name of preflight.headers.keys()) assert.ok(!name.startsWith('access-control'), name)
  })
})

describe('what a session reaches', () => {
  test('both APIs by the permissions of a management key', async () => {
    const admin = await cookieFor(mainKey)
    assert.equal((await by(admin, 'GET', keys())).status, 200)
    const made = await by(admin, 'POST', '/api/v2/dashboards', { body: { name: 'By session' } })
    assert.equal(made.status, 200, made.text)
    const reader = await cookieFor((await newKey({ roles: ['developer'] })).login)
    assert.equal((await by(reader, 'GET', '/api/v2/dashboards')).status, 200)
    assert.equal((await by(reader, 'POST', '/api/v2/dashboards', { body: { name: 'No' } })).status, 403)
    assert.equal((await by(reader, 'POST', keys(), { body: { name: 'No' } })).status, 403)
    const granted = await newKey({
      roles: [],
      serviceGrants: [{ serviceId: world.ids.serviceId, role: 'developer' }],
    })
    const cookie = await cookieFor(granted.login)
    const identity = resultOf(await by(cookie, 'GET', '/v1/session'))
    assert.deepEqual(identity.permissions, ['organization:view'])
    assert.deepEqual(identity.services, [
      {
        serviceId: world.ids.serviceId,
        permissions: ['services:view', 'pipes:view', 'backups:view', 'metrics:view'],
      },
    ])
    assert.equal((await by(cookie, 'GET', '/api/v2/dashboards')).status, 403)
  })

  test('of a dashboard token: /api/v2, who it is, and signing out', async () => {
    const cookie = await cookieFor((await newKey({ kind: 'dashboard' })).login)
    assert.equal((await by(cookie, 'GET', '/api/v2/dashboards')).status, 200)
    for (const path of ['/v1/organizations', keys(), sessions()])
      assertRefused(await by(cookie, 'GET', path), 403, 'FORBIDDEN')
    const identity = resultOf(await by(cookie, 'GET', '/v1/session'))
    assert.deepEqual(identity.permissions, ['organization:view', 'dashboards:view', 'dashboards:manage'])
    assert.equal((await by(cookie, 'DELETE', '/v1/session')).status, 200)
    assert.equal(await statusOf(cookie), 401)
  })

  test('one organization', async () => {
    const cookie = await cookieFor({ keyId: 'otherKey', keySecret: 'other-secret-012' })
    assert.equal((await by(cookie, 'GET', keys())).status, 404)
    assert.equal((await by(cookie, 'DELETE', `${sessions()}/${world.ids.sessionId}`)).status, 404)
  })

  test('counts against the limit of its key', async () => {
    const cookie = await cookieFor(mainKey)
    const left = async () => Number((await by(cookie, 'GET', keys())).headers.get('x-ratelimit-remaining'))
    const before = await left()
    await world.raw('GET', keys())
    assert.equal(await left(), before - 2)
  })
})

describe('a session ends', () => {
  test('at once by signing out, and cannot be used again', async () => {
    const cookie = await cookieFor(mainKey)
    assert.equal(await statusOf(cookie), 200)
    const out = await by(cookie, 'DELETE', '/v1/session')
    assert.deepEqual(resultOf(out), {})
    assert.match(
      out.headers.get('set-cookie') ?? '',
      /^granary_session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/,
    )
    for (const path of ['/v1/session', keys(), '/api/v2/dashboards'])
      assert.equal((await by(cookie, 'GET', path)).status, 401)
    assert.equal((await by(cookie, 'DELETE', '/v1/session')).status, 401)
  })

  test('at once by anybody who manages keys; of many at once, one ends it', async () => {
    const cookie = await cookieFor(mainKey)
    const own = resultOf(await by(cookie, 'GET', sessions())).find(
      ({ isCurrent }: { isCurrent: boolean }) => isCurrent,
    )
    assert.equal(own.id, resultOf(await by(cookie, 'GET', '/v1/session')).id)
    const all: { isCurrent: boolean }[] = resultOf(await world.raw('GET', sessions()))
    assert.ok(all.every(({ isCurrent }) => !isCurrent))
    const ends = await Promise.all(
      Array.from({ length: 8 }, () => world.raw('DELETE', `${sessions()}/${own.id}`)),
    )
    assert.deepEqual(ends.map(({ status }) => status).sort(), [200, 404, 404, 404, 404, 404, 404, 404])
    assert.equal(await statusOf(cookie), 401)
    const trail: { type: string; resourceId: string }[] = resultOf(await world.call('activities.list'))
    assert.deepEqual(
      trail.filter(({ resourceId }) => resourceId === own.id).map(({ type }) => type),
      ['session_delete', 'session_create'],
    )
  })

  test('with its key: disabled, deleted, expired, or used from elsewhere; what the key may do changes at once', async () => {
    const { id, login } = await newKey({ roles: ['admin'] })
    const cookie = await cookieFor(login)
    const change = async (body: object) =>
      assert.equal((await world.raw('PATCH', `${keys()}/${id}`, { body })).status, 200)
    await change({ roles: ['developer'] })
    assert.deepEqual(resultOf(await by(cookie, 'GET', '/v1/session')).key.roles, ['developer'])
    assert.equal((await by(cookie, 'POST', keys(), { body: { name: 'No' } })).status, 403)
    await change({ state: 'disabled' })
    assert.equal(await statusOf(cookie), 401)
    assert.equal((await signIn(login)).status, 401)
    await change({ state: 'enabled', ipAccessList: [{ source: '203.0.113.1' }] })
    assert.equal(await statusOf(cookie), 403)
    assert.equal((await signIn(login)).status, 403)
    const from = { headers: { 'x-forwarded-for': '203.0.113.1' } }
    assert.equal((await by(cookie, 'GET', '/v1/session', from)).status, 200)
    const expireAt = new Date(world.clock.now() + 1000).toISOString()
    await change({ ipAccessList: [{ source: '0.0.0.0/0' }], expireAt })
    assert.equal(resultOf(await by(cookie, 'GET', '/v1/session')).expireAt, expireAt)
    await world.clock.advance(1000)
    assert.equal(await statusOf(cookie), 401)
    await change({ expireAt: null })
    assert.equal(await statusOf(cookie), 200)
    assert.equal((await world.raw('DELETE', `${keys()}/${id}`)).status, 200)
    assert.equal(await statusOf(cookie), 401)
    assert.equal((await signIn(login)).status, 401)
    await world.clock.advance(failureWindowMs)
  })

  test('after thirty days without use, and its row goes with the next sign-in', async () => {
    const used = await cookieFor(mainKey)
    const idle = await cookieFor(mainKey)
    await world.clock.advance(sessionIdleMs - 60_000)
    assert.equal(await statusOf(used), 200)
    await world.clock.advance(60_000)
    assert.equal(await statusOf(idle), 401)
    assert.equal(await statusOf(used), 200)
    const count = async () =>
      (await world.store.sessions.list(world.main.organizationId, { nowMs: 0 })).length
    const before = await count()
    await cookieFor(mainKey)
    assert.ok((await count()) < before)
  })

  test('a further one of the same key ends the one that was idle for longest', async () => {
    const { login } = await newKey({ roles: ['developer'] })
    const first = await cookieFor(login)
    const second = await cookieFor(login)
    await world.clock.advance(60_000)
    assert.equal(await statusOf(first), 200)
    for (let n = 2; n < maxSessionsPerKey + 1; n++) await cookieFor(login)
    await world.clock.advance(1_000)
    assert.deepEqual([await statusOf(first), await statusOf(second)], [200, 401])
  })
})

test('its use is written once a minute', async () => {
  const cookie = await cookieFor(mainKey)
  const { id } = resultOf(await by(cookie, 'GET', '/v1/session'))
  const usedAt = async () => (await world.store.sessions.get(world.main.organizationId, id))?.usedAtMs
  const before = await usedAt()
  await world.clock.advance(60_000)
  for (let n = 0; n < 5; n++) await statusOf(cookie)
  assert.equal(await usedAt(), (before ?? 0) + 60_000)
})
