import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { maxFailures } from '../../src/lib/failed-logins.ts'
import { assertRefused, createWorld, type World } from '../support/walk.ts'

let world: World
before(async () => {
  world = await createWorld({ empty: true, env: { GRANARY_TRUST_PROXY: '127.0.0.1' } })
})
after(() => world.close())

const ask = (from: string, authorization = world.other.management) =>
  world.raw('GET', '/v1/organizations', { authorization, headers: { 'x-forwarded-for': from } })
const wrong = (n: number) => `Basic ${Buffer.from(`nobody:${n}`).toString('base64')}`

test('failed logins are counted for the client that a trusted proxy names, not for what the client wrote', async () => {
  assert.equal((await ask('203.0.113.1', world.main.management)).status, 200)
  for (let n = 0; n < maxFailures; n++)
    assertRefused(await ask(`198.51.100.${n}, 203.0.113.1`, wrong(n)), 401, 'UNAUTHORIZED')
  const refused = await ask('198.51.100.99, 203.0.113.1')
  assertRefused(refused, 429, 'TOO_MANY_REQUESTS')
  assert.equal(refused.headers.get('retry-after'), '10')
  assert.equal((await ask('203.0.113.1', world.main.management)).status, 200, 'a key that was right before')
  assert.equal((await ask('203.0.113.2')).status, 200, 'another client of the same proxy')
})

test('the dashboard API answers it in its own shape', async () => {
  const list = (token: string) =>
    world.call('dashboards.list', {
      authorization: `Bearer ${token}`,
      headers: { 'x-forwarded-for': '203.0.113.9' },
    })
  for (let n = 0; n < maxFailures; n++) assert.equal((await list(`wrong-${n}`)).status, 401)
  const refused = await list('wrong')
  assert.equal(refused.status, 429)
  assert.deepEqual(Object.keys(refused.body), ['message'])
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
})
