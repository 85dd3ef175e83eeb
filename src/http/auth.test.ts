import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock } from '../../test/support/manual-clock.ts'
import type { KeyKind } from '../domain/key/types.ts'
import { failureWindowMs, maxFailures } from '../lib/failed-logins.ts'
import { createSecretBox } from '../store/secret-box.ts'
import type { Store, StoredKey } from '../store/store.ts'
import { authorize, createAuthenticator } from './auth.ts'
import { RateLimited } from './rate-limit.ts'
import { Unauthorized } from './unauthorized.ts'

const organizationId = '11111111-1111-4111-8111-111111111111'
const serviceId = '55555555-5555-4555-8555-555555555555'

function rig(over: Partial<StoredKey> = {}) {
  const clock = createManualClock(Date.UTC(2030, 0, 1) + 30_500)
  const secretBox = createSecretBox(new Uint8Array(32))
  const key: StoredKey = {
    id: 'key',
    organizationId,
    kind: 'management',
    name: 'test',
    state: 'enabled',
    roles: ['developer'],
    serviceGrants: [],
    ipAccessList: [{ source: '127.0.0.0/8', description: '' }],
    keySuffix: '',
    createdAtMs: 0,
    expireAtMs: null,
    usedAtMs: null,
    secretHash: secretBox.hash('secret:with:colons'),
    ...over,
  }
  const lookup = key.kind === 'management' ? 'keyId' : secretBox.hash('secret:with:colons')
  const touched: number[] = []
  const failure: { error: unknown } = { error: null }
  const errors: unknown[] = []
  const lookups = { count: 0 }
  const keys = {
    async byLookup(wanted: string) {
      lookups.count += 1
      return wanted === lookup ? { ...key } : null
    },
    touch: async (_id: string, atMs: number) => {
      touched.push(atMs)
      if (failure.error) throw failure.error
    },
  }
  const store = { keys } as unknown as Store
  const authenticator = createAuthenticator({
    store,
    secretBox,
    clock,
    onError: (error) => errors.push(error),
  })
  const ask = async (
    authorization: string | undefined,
    { kind = 'management' as KeyKind, ipAddress = '127.0.0.1' } = {},
  ) => authenticator.authenticate(kind, { authorization, ipAddress, userAgent: '', requestId: '' })
  return { ask, clock, touched, errors, failure, key, lookups, forget: authenticator.forget }
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`
const good = basic('keyId:secret:with:colons')

describe('a credential', () => {
  test('is key id and secret, the scheme in any case, the secret with any character', async () => {
    const { ask } = rig()
    for (const header of [good, good.replace('Basic', 'bAsIc'), good.replace(' ', '   ')])
      assert.equal((await ask(header)).key.id, 'key')
    const token = rig({ kind: 'dashboard' })
    assert.equal((await token.ask('bearer secret:with:colons', { kind: 'dashboard' })).key.id, 'key')
  })

  test('that is not whole gives 401 with the scheme that is expected', async () => {
    const { ask } = rig()
    const wrong = [
      undefined,
      '',
      'Basic',
      'Basic ',
      basic('keyId'),
      basic(':secret'),
      basic('keyId\0:x'),
      `${good} x`,
      'Bearer x',
    ]
    for (const header of wrong) {
      await assert.rejects(ask(header), (error: Unauthorized) => {
        assert.ok(error instanceof Unauthorized, header)
        assert.match(error.challenge, /^Basic /)
        return true
      })
    }
    for (const header of ['Bearer', `Bearer ${'x'.repeat(513)}`, 'Bearer a b', 'Bearer é', good])
      await assert.rejects(ask(header, { kind: 'dashboard' }), Unauthorized)
  })

  test('of an unknown key and of a wrong secret cannot be told apart', async () => {
    const { ask } = rig()
    const messages = []
    for (const text of ['nobody:secret:with:colons', 'keyId:wrong', 'keyId:'])
      messages.push(await ask(basic(text)).catch((error: Error) => error.message))
    assert.equal(new Set(messages).size, 1)
  })

  test('with the right secret of a key of the other kind is unknown', async () => {
    const { ask } = rig({ kind: 'dashboard' })
    await assert.rejects(ask(good), /unknown or wrong/)
  })

  test('ends with its last millisecond', async () => {
    const expiring = rig({ expireAtMs: Date.UTC(2030, 0, 1) + 31_000 })
    await expiring.clock.advance(499)
    await expiring.ask(good)
    await expiring.clock.advance(1)
    await assert.rejects(expiring.ask(good), /expired/)
  })

  test('works only from its addresses; IPv4 inside of IPv6 is IPv4', async () => {
    const { ask } = rig()
    await ask(good, { ipAddress: '::ffff:127.0.0.1' })
    for (const ipAddress of ['10.0.0.1', '::1', ''])
      await assert.rejects(ask(good, { ipAddress }), { code: 'FORBIDDEN' })
  })
})

describe('a key that was seen a moment ago', () => {
  test('is not looked up again, until a key changes or a second has passed', async () => {
    const { ask, clock, key, lookups, forget } = rig()
    await ask(good)
    await ask(good)
    assert.equal(lookups.count, 1)
    key.state = 'disabled'
    forget()
    await assert.rejects(ask(good), /disabled/)
    key.state = 'enabled'
    await clock.advance(1_000)
    await ask(good)
    assert.equal(lookups.count, 3)
  })

  test('is held to its expiry and its addresses each time', async () => {
    const { ask, clock, lookups } = rig({ expireAtMs: Date.UTC(2030, 0, 1) + 31_000 })
    await ask(good)
    await assert.rejects(ask(good, { ipAddress: '10.0.0.1' }), { code: 'FORBIDDEN' })
    await clock.advance(500)
    await assert.rejects(ask(good), /expired/)
    assert.equal(lookups.count, 1)
  })

  test('is not taken for one of the other API', async () => {
    const { ask } = rig()
    await ask(good)
    await assert.rejects(ask(good, { kind: 'dashboard' }), Unauthorized)
  })

  test('is looked up each time when it is refused', async () => {
    const { ask, lookups } = rig()
    for (let n = 0; n < 2; n++) await assert.rejects(ask(basic('keyId:wrong')), Unauthorized)
    assert.equal(lookups.count, 2)
  })
})

describe('guessing', () => {
  const guess = async ({ ask }: ReturnType<typeof rig>, ipAddress: string) => {
    for (let n = 0; n < maxFailures; n++)
      await assert.rejects(ask(basic(`keyId:guess ${n}`), { ipAddress }), Unauthorized)
  }

  test('is slowed down by address, and then looks nothing up', async () => {
    const rigged = rig()
    const { ask, clock, lookups } = rigged
    await guess(rigged, '127.0.0.1')
    for (const header of [good, basic('keyId:another')]) {
      await assert.rejects(ask(header), (error: RateLimited) => {
        assert.ok(error instanceof RateLimited)
        assert.deepEqual(error.headers, { 'retry-after': 10 })
        return true
      })
    }
    assert.equal(lookups.count, maxFailures)
    await ask(good, { ipAddress: '127.0.0.2' })
    await clock.advance(failureWindowMs)
    await assert.rejects(ask(basic('keyId:another')), Unauthorized)
  })

  test('does not lock out a key that was right before, also when keys changed since', async () => {
    const rigged = rig()
    const { ask, clock, forget } = rigged
    await ask(good)
    await clock.advance(5_000)
    await guess(rigged, '127.0.0.1')
    forget()
    await ask(good)
    await assert.rejects(ask(basic('keyId:another')), RateLimited)
  })

  test('of tokens is slowed down too; what is no credential at all counts for nothing', async () => {
    const { ask } = rig({ kind: 'dashboard' })
    const kind = 'dashboard'
    for (let n = 0; n < 2 * maxFailures; n++) await assert.rejects(ask('Bearer', { kind }), Unauthorized)
    for (let n = 0; n < maxFailures; n++) await assert.rejects(ask(`Bearer ${n}`, { kind }), Unauthorized)
    await assert.rejects(ask('Bearer 0', { kind }), RateLimited)
    await assert.rejects(ask('Bearer', { kind }), Unauthorized)
  })
})

describe('the use of a key', () => {
  test('is noted once a minute, to the minute', async () => {
    const { ask, clock, touched } = rig()
    await ask(good)
    await ask(good)
    await clock.advance(60_000)
    await ask(good)
    assert.deepEqual(touched, [Date.UTC(2030, 0, 1), Date.UTC(2030, 0, 1, 0, 1)])
  })

  test('is not noted for those who are refused', async () => {
    const { ask, touched } = rig({ state: 'disabled' })
    await assert.rejects(ask(good), /disabled/)
    assert.deepEqual(touched, [])
  })

  test('that cannot be noted does not fail the request', async () => {
    const { ask, errors, failure } = rig()
    failure.error = new Error('locked')
    await ask(good)
    await Promise.resolve()
    assert.deepEqual(errors, [failure.error])
  })
})

describe('authorize', () => {
  const caller = async () => rig().ask(good)

  test('answers 404 for another organization, in whatever case it is written', async () => {
    const who = await caller()
    authorize(who, 'services:view', { organizationId: organizationId.toUpperCase(), serviceId })
    const other = { organizationId: '22222222-2222-4222-8222-222222222222' }
    assert.throws(() => authorize(who, 'organization:view', other), { code: 'NOT_FOUND' })
    // Validation reports a malformed id instead.
    authorize(who, 'organization:view', { organizationId: 'x' })
  })

  test('answers 403 with the permission that is missing', async () => {
    const who = await caller()
    assert.throws(() => authorize(who, 'services:manage', { organizationId, serviceId }), {
      code: 'FORBIDDEN',
      extra: { permission: 'services:manage' },
    })
  })

  test('hides services that the key is not granted', async () => {
    const who = await rig({ roles: [] }).ask(good)
    assert.throws(() => authorize(who, 'services:view', { organizationId, serviceId }), { code: 'NOT_FOUND' })
  })
})
