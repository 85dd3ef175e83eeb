import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { test } from 'node:test'
import { accessOf, ask, startGatewayRig, writer } from '../../../test/support/gateway-rig.ts'
import { startPlainReplica } from '../../../test/support/plain-replica.ts'
import { failureWindowMs, maxFailures } from '../../lib/failed-logins.ts'

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })

async function start() {
  const replica = await startPlainReplica('one')
  const rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', replica)] })
  service.users.set('reader', { password: 'r', role: 'readOnly' })
  return {
    replica,
    rig,
    service,
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]()
      await replica[Symbol.asyncDispose]()
    },
  }
}

test('each way to log in works, and no credential reaches the replica', async () => {
  await using rigged = await start()
  const { replica, service } = rigged
  for (const { path = '/?query=SELECT+1', headers = {} } of [
    { headers: basic('default:secret') },
    { headers: { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': 'secret' } },
    { path: '/?query=SELECT+1&user=default&password=secret' },
    { path: '/?query=SELECT+1&password=secret' },
    { path: '/?query=SELECT+1&password=secret', headers: basic('default:remembered by the browser') },
  ]) {
    const answer = await ask(service.port, { path, headers, password: null })
    assert.deepEqual([answer.status, answer.text], [200, 'one\n'])
    const { url, headers: received } = replica.asked.at(-1) ?? assert.fail()
    assert.doesNotMatch(
      `${url} ${JSON.stringify(received)}`,
      /secret|password|authorization|clickhouse-(user|key)/i,
    )
    assert.equal(received['x-granary-user'], 'default')
  }
})

test('a wrong login is answered as ClickHouse does, and nothing is asked or woken', async () => {
  await using rigged = await start()
  const { replica, rig, service } = rigged
  service.access = accessOf('s', { state: 'idle', asleep: true })
  for (const headers of [
    {},
    basic('default:wrong'),
    basic('nobody:secret'),
    basic('reader:secret'),
    basic('de\nfault:secret'),
    { authorization: 'Bearer secret' },
    { ...basic('default:secret'), 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': 'secret' },
  ]) {
    const answer = await ask(service.port, { body: 'SELECT 1', headers, password: null })
    assert.equal(answer.status, 401)
    assert.equal(answer.headers['x-clickhouse-exception-code'], '516')
    assert.match(answer.headers['www-authenticate'] ?? '', /^Basic /)
    assert.match(answer.text, /^Code: 516\. DB::Exception: .*\. \(AUTHENTICATION_FAILED\)\n$/s)
  }
  const answer = await ask(service.port, { body: 'SELECT 1', password: 'wrong' })
  assert.equal(
    answer.text,
    'Code: 516. DB::Exception: default: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)\n',
  )
  const silent = await ask(service.port, {
    body: 'SELECT 1',
    headers: { authorization: 'never' },
    password: null,
  })
  assert.deepEqual([silent.status, silent.headers['www-authenticate']], [401, undefined])
  assert.deepEqual([replica.asked.length, rig.lookups.wake], [0, 0])
  assert.equal(rig.gateway.activity('s').queries, 0)
  assert.equal(rig.gateway.activity('s').refused, 9)
})

test('a client cannot say who it is by our own headers', async () => {
  await using rigged = await start()
  const { replica, service } = rigged
  const forged = { 'X-Granary-User': 'root', 'X-Granary-Access': 'rw', 'X-Granary-Session': 'theirs' }
  const headers = { ...basic('reader:r'), ...forged }
  assert.equal((await ask(service.port, { body: 'SELECT 1', headers, password: null })).status, 200)
  const { headers: received } = replica.asked[0] ?? assert.fail()
  assert.equal(received['x-granary-user'], 'reader')
  assert.equal(received['x-granary-access'], 'ro')
  assert.equal(received['x-granary-session'], undefined)
})

test('a right password is not looked up for each query, and a change is seen at once', async () => {
  await using rigged = await start()
  const { rig, service } = rigged
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const query = async () => (await ask(service.port, { body: 'SELECT 1', agent })).status
  for (let i = 0; i < 5; i++) assert.equal(await query(), 200)
  assert.equal((await ask(service.port, 'SELECT 1')).status, 200)
  assert.equal(rig.lookups.verifyPassword, 1)
  assert.equal(rig.lookups.access, 1)
  service.users.set('default', { password: 'changed', role: 'readWrite' })
  assert.equal(await query(), 200)
  rig.gateway.forgetLogins('s')
  assert.equal(await query(), 401)
  service.users.set('default', { password: 'secret', role: 'readWrite' })
  assert.equal(await query(), 200)
  // A change by another control plane is seen within a second.
  service.users.delete('default')
  await rig.clock.advance(1_000)
  assert.equal(await query(), 401)
  agent.destroy()
})

test('two clients on one connection are told apart', async () => {
  await using rigged = await start()
  const { replica, service } = rigged
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const as = async (headers: Record<string, string>, path = '/') =>
    (await ask(service.port, { path, body: 'SELECT 1', headers, agent, password: null })).status
  assert.equal(await as(basic('default:secret')), 200)
  assert.equal(await as(basic('reader:r')), 200)
  assert.equal(replica.asked.at(-1)?.headers['x-granary-user'], 'reader')
  assert.equal(await as(basic('reader:secret')), 401)
  assert.equal(await as({ 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': 'secret' }), 200)
  assert.equal(await as({ 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': 'wrong' }), 401)
  assert.equal(await as(basic('reader:r'), '/?user=default&password=wrong'), 401)
  assert.equal(await as({}), 401)
  agent.destroy()
})

test('guessing is slowed down by address, but not for those who were let in before', async () => {
  await using rigged = await start()
  const { rig, service } = rigged
  assert.equal((await ask(service.port, 'SELECT 1')).status, 200)
  for (let i = 0; i < maxFailures; i++) {
    assert.equal((await ask(service.port, { body: 'SELECT 1', password: `guess ${i}` })).status, 401)
  }
  const before = rig.lookups.verifyPassword
  const limited = await ask(service.port, { body: 'SELECT 1', password: 'another' })
  assert.deepEqual([limited.status, limited.headers['retry-after']], [429, '10'])
  assert.equal(rig.lookups.verifyPassword, before)
  await rig.clock.advance(2_000)
  assert.equal((await ask(service.port, 'SELECT 1')).status, 200)
  assert.equal((await ask(service.port, { body: 'SELECT 1', headers: basic('reader:r') })).status, 429)
  await rig.clock.advance(failureWindowMs)
  assert.equal((await ask(service.port, { body: 'SELECT 1', headers: basic('reader:r') })).status, 200)
})

test('the IP access list comes first, for IPv4 and IPv6', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig({ host: '::' })
  const service = await rig.add('s', { replicas: [writer('w', replica)] })
  const from = async (host: string, sources: string[], password = 'wrong') => {
    service.access = accessOf('s', { ipAccessList: sources.map((source) => ({ source })) })
    rig.gateway.refresh('s')
    return (await ask(service.port, { host, body: 'SELECT 1', password })).status
  }
  assert.equal(await from('127.0.0.1', ['127.0.0.0/8'], 'secret'), 200)
  assert.equal(await from('127.0.0.1', ['127.0.0.0/8']), 401)
  assert.equal(await from('127.0.0.1', ['10.0.0.0/8', '::/0']), 403)
  assert.equal(await from('127.0.0.1', []), 403)
  assert.equal(await from('::1', ['::1'], 'secret'), 200)
  assert.equal(await from('::1', ['0.0.0.0/0', 'fd00::/8']), 403)
  const refused = await ask(service.port, { host: '::1', body: 'SELECT 1' })
  assert.equal(refused.headers['x-clickhouse-exception-code'], '195')
  assert.match(refused.text, /^Code: 195\. DB::Exception: .*::1.*\(IP_ADDRESS_NOT_ALLOWED\)\n$/)
  assert.equal((await ask(service.port, { host: '::1', path: '/ping', password: null })).status, 403)
})

test('a proxy is believed for whom it asks only if it is trusted, and only as far as proxies are', async () => {
  await using replica = await startPlainReplica('one')
  const proxies = ['127.0.0.0/8', '10.0.0.0/8']
  for (const { trusted, forwardedFor, client } of [
    { trusted: [], forwardedFor: '192.0.2.7', client: '127.0.0.1' },
    { trusted: proxies, forwardedFor: '', client: '127.0.0.1' },
    { trusted: proxies, forwardedFor: '192.0.2.7', client: '192.0.2.7' },
    { trusted: proxies, forwardedFor: '203.0.113.1, 192.0.2.7,10.1.1.1 , 10.2.2.2', client: '192.0.2.7' },
    { trusted: proxies, forwardedFor: '10.1.1.1', client: '10.1.1.1' },
    { trusted: proxies, forwardedFor: '2001:db8::5', client: '2001:db8::5' },
  ]) {
    await using rig = await startGatewayRig({ proxies: trusted })
    const service = await rig.add('s', { replicas: [writer('w', replica)] })
    service.access = accessOf('s', { ipAccessList: [{ source: client }] })
    rig.gateway.refresh('s')
    const headers = forwardedFor === '' ? {} : { 'X-Forwarded-For': forwardedFor }
    const { status } = await ask(service.port, { body: 'SELECT 1', headers })
    assert.equal(status, 200, forwardedFor)
    assert.equal(replica.asked.at(-1)?.headers['x-forwarded-for'], client)
  }
  await using rig = await startGatewayRig({ proxies })
  const service = await rig.add('s', { replicas: [writer('w', replica)] })
  const refused = await ask(service.port, { body: 'SELECT 1', headers: { 'X-Forwarded-For': 'unknown' } })
  assert.equal(refused.status, 403, 'what is no address is in no list')
})

test('health checks need no password, wake nothing and do not count', async () => {
  await using rigged = await start()
  const { replica, rig, service } = rigged
  const check = async (path: string, method = 'GET') => {
    const { status, text } = await ask(service.port, { path, method, password: null })
    return `${status} ${text}`
  }
  const checks = ['/ping', '/replicas_status', '/', '/?']
  for (const path of checks) assert.equal(await check(path), '200 Ok.\n', path)
  assert.equal(await check('/ping', 'HEAD'), '200 ')
  service.access = accessOf('s', { state: 'idle', asleep: true })
  service.replicas = []
  rig.gateway.refresh('s')
  for (const path of checks) assert.equal(await check(path), '200 Ok.\n', path)
  assert.deepEqual([replica.begun(), rig.lookups.wake], [0, 0])
  const { queries, inFlight, lastQueryEndedAtMs } = rig.gateway.activity('s')
  assert.deepEqual(
    { queries, inFlight, lastQueryEndedAtMs },
    { queries: 0, inFlight: 0, lastQueryEndedAtMs: null },
  )
  service.access = accessOf('s')
  rig.gateway.refresh('s')
  assert.match(await check('/replicas_status'), /^503 No replica/)
  assert.equal(await check('/ping'), '200 Ok.\n')
  service.access = accessOf('s', { power: 'off', state: 'stopped' })
  rig.gateway.refresh('s')
  assert.match(await check('/ping'), /^503 The service is stopped/)
})

test('other paths and methods are unknown, and never forwarded', async () => {
  await using rigged = await start()
  const { replica, service } = rigged
  for (const [method, path] of [
    ['GET', '/play'],
    ['GET', '/granary/status'],
    ['POST', '/granary/drain'],
    ['POST', '/ping'],
    ['GET', '//?query=SELECT+1'],
    ['DELETE', '/'],
    ['PUT', '/?query=SELECT+1'],
    ['OPTIONS', '/'],
  ] as const) {
    assert.equal((await ask(service.port, { method, path })).status, 404, `${method} ${path}`)
  }
  assert.equal(replica.begun(), 0)
})

test('when nobody can be looked up the answer says so', async () => {
  await using rig = await startGatewayRig({
    lookups: {
      access: () => Promise.reject(new Error('the store is away')),
      verifyPassword: () => Promise.reject(new Error('the store is away')),
      wake: async () => {},
      observe: () => Promise.reject(new Error('unknown')),
      wakeEstimateMs: () => 0,
      readerLagMs: () => 0,
    },
  })
  const { port } = await rig.gateway.open({ serviceId: 's', port: 0 })
  const answer = await ask(port, 'SELECT 1')
  assert.equal(answer.status, 503)
  assert.equal(answer.headers['retry-after'], '1')
  assert.doesNotMatch(answer.text, /store/)
  for (let i = 0; i < 4; i++) assert.equal((await ask(port, 'SELECT 1')).status, 503)
  assert.equal(rig.log.count('error', 'requests to an endpoint failed'), 1)
  await rig.clock.advance(1_000)
  await ask(port, 'SELECT 1')
  assert.equal(rig.log.count('error', 'requests to an endpoint failed'), 2)
})
