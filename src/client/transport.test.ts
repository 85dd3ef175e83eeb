import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deadUrl, type FakeAnswer, result, startFakeApi } from '../../test/support/fake-api.ts'
import { createLeapingClock } from '../../test/support/leaping-clock.ts'
import { type ClientOptions, createClient } from './client.ts'
import { ClientError } from './client-error.ts'

const organizationId = '11111111-1111-4111-8111-111111111111'
const services = `/v1/organizations/${organizationId}/services`
const credentials = { keyId: 'id', keySecret: 'a-long-secret' }

function connect(url: string, options: Partial<ClientOptions> = {}) {
  const clock = createLeapingClock()
  // The largest jitter, so that the waits are exactly the upper bounds of the backoff.
  const client = createClient({ url, credentials, organizationId, clock, random: () => 1, ...options })
  return { client, clock }
}

const busy = (seconds?: string): FakeAnswer => ({
  status: 503,
  ...(seconds ? { headers: { 'retry-after': seconds } } : {}),
  body: { status: 503, error: 'UNAVAILABLE: starting', code: 'UNAVAILABLE', requestId: 'r' },
})

const isClientError = (code: string) => (error: unknown) =>
  error instanceof ClientError && error.code === code

test('a GET is repeated on 503 and 429, with growing waits, until it is answered', async () => {
  await using api = await startFakeApi()
  api.on('GET', services, busy(), { ...busy(), status: 429 }, result([]))
  const { client, clock } = connect(api.url)
  assert.deepEqual(await client.call('services.list'), [])
  assert.deepEqual(clock.slept, [200, 400])
})

test('Retry-After is honoured, in seconds and as a date', async () => {
  await using api = await startFakeApi()
  api.on('GET', services, busy('7'), busy(new Date(12_000).toUTCString()), result([]))
  const { client, clock } = connect(api.url)
  await client.call('services.list')
  assert.deepEqual(clock.slept, [7_000, 5_000])
})

test('a server that asks for more patience than there is gets none', async () => {
  await using api = await startFakeApi()
  api.on('GET', services, busy('3600'), result([]))
  const { client, clock } = connect(api.url)
  await assert.rejects(client.call('services.list'), isClientError('UNAVAILABLE'))
  assert.deepEqual(clock.slept, [])
})

test('repetitions are bounded', async () => {
  await using api = await startFakeApi()
  api.on('GET', services, busy())
  await assert.rejects(connect(api.url, { retry: { attempts: 3 } }).client.call('services.list'))
  assert.equal(api.seen.length, 3)
})

test('what changes something is sent once, and so is a GET that failed in another way', async () => {
  await using api = await startFakeApi()
  api.on('POST', services, busy())
  api.on('GET', services, { ...busy(), status: 500 })
  const { client } = connect(api.url)
  await assert.rejects(client.call('services.create', { body: { name: 'a' } }))
  await assert.rejects(client.call('services.list'))
  assert.equal(api.seen.length, 2)
})

test('a refused connection is tried again, then told in plain words without a secret', async () => {
  const url = await deadUrl()
  const { client, clock } = connect(url)
  await assert.rejects(client.call('services.list'), (error: unknown) => {
    assert.ok(error instanceof ClientError)
    assert.equal(error.code, 'UNREACHABLE')
    assert.equal(error.message, `cannot reach Granary at ${url} (ECONNREFUSED): is it running?`)
    assert.ok(!JSON.stringify(error).includes(credentials.keySecret))
    return true
  })
  assert.deepEqual(clock.slept, [200, 400, 800])
  await assert.rejects(client.call('services.create', { body: { name: 'a' } }), isClientError('UNREACHABLE'))
  assert.equal(clock.slept.length, 3)
})

test('a server that says nothing runs into the time limit', async () => {
  await using api = await startFakeApi()
  api.on('GET', services, { silent: true })
  const { client } = connect(api.url, { timeoutMs: 5_000 })
  await assert.rejects(client.call('services.list'), isClientError('TIMEOUT'))
})

test('the caller can end a call, also between two attempts', async () => {
  await using api = await startFakeApi()
  api.on('GET', services, busy('10'))
  const stop = new AbortController()
  const clock = createLeapingClock({ patienceMs: 0 })
  const sleep: typeof clock.sleep = (ms, signal) => {
    if (ms === 10_000) stop.abort(new Error('enough'))
    return clock.sleep(ms, signal)
  }
  const { client } = connect(api.url, { clock: { ...clock, sleep } })
  await assert.rejects(client.call('services.list', { signal: stop.signal }), { message: 'enough' })
  assert.equal(api.seen.length, 1)
  await assert.rejects(client.call('services.list', { signal: stop.signal }), { message: 'enough' })
  assert.equal(api.seen.length, 1)
})
