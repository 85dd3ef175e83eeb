import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type Answer, assertRefused, createWorld, makeKey, type World } from '../support/walk.ts'

const limit = 5
let world: World
before(async () => {
  world = await createWorld({ empty: true, env: { GRANARY_RATE_LIMIT: String(limit) } })
})
after(() => world.close())
afterEach(() => world.clock.advance(10_000))

const ask = (authorization = world.main.management): Promise<Answer> =>
  world.raw('GET', '/v1/organizations', { authorization })
const numbers = ({ headers }: Answer) =>
  ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) => Number(headers.get(name)))

test('each answer says where the key stands, and one request too many gets 429', async () => {
  for (let n = 1; n <= limit; n++) {
    const answer = await ask()
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('retry-after'), null)
    assert.deepEqual(numbers(answer), [limit, limit - n, 10])
  }
  await world.clock.advance(3_500)
  const refused = await ask()
  assertRefused(refused, 429, 'TOO_MANY_REQUESTS')
  assert.equal(refused.headers.get('retry-after'), '7')
  assert.deepEqual(numbers(refused), [limit, 0, 7])
  assert.equal(refused.body.requestId, refused.headers.get('x-request-id'))

  await world.clock.advance(6_499)
  assert.equal((await ask()).status, 429)
  await world.clock.advance(1)
  assert.equal((await ask()).status, 200)
})

test('the dashboard API counts too, and answers in its own shape', async () => {
  let answer: Answer | undefined
  for (let n = 0; n <= limit; n++) answer = await world.call('dashboards.list')
  assert.equal(answer?.status, 429)
  assert.deepEqual(Object.keys(answer?.body), ['message'])
  assert.ok(Number(answer?.headers.get('retry-after')) > 0)
})

test('each key counts for itself', async () => {
  const { authorization } = await makeKey(world, { roles: ['developer'] })
  for (let n = 0; n <= limit; n++) await ask()
  assert.equal((await ask()).status, 429)
  assert.equal((await ask(authorization)).status, 200)
  assert.equal((await ask(world.other.management)).status, 200)
})

test('what is refused counts like what is answered, but nobody is counted without a credential', async () => {
  for (let n = 0; n < 2 * limit; n++) assert.equal((await ask('Basic bm9ib2R5Om5vYm9keQ==')).status, 401)
  for (let n = 0; n < limit; n++) assert.equal((await world.api('GET', '/quotas/nothing')).status, 404)
  assert.equal((await ask()).status, 429)
})
