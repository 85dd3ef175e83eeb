import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import {
  accessOf,
  ask,
  type FakeService,
  type GatewayRig,
  observed,
  passing,
  startGatewayRig,
  until,
  writer,
} from '../../../test/support/gateway-rig.ts'
import { startPlainReplica } from '../../../test/support/plain-replica.ts'
import { holdLimitMs } from './held-requests.ts'

const idle = () => accessOf('s', { state: 'idle', asleep: true })

const held = (rig: GatewayRig, count: number) => until(() => rig.gateway.activity('s').held === count)

test('fifty clients wake an idle service once, and each is answered on its connection', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { access: idle(), power: 'idle' })
  const startedAtMs = rig.clock.now()
  const isWoken = Promise.withResolvers<void>()
  rig.onWake = () => isWoken.promise
  const answers = Array.from({ length: 50 }, (_, i) => ask(service.port, `SELECT ${i}`))
  await held(rig, 50)
  assert.equal(rig.gateway.activity('s').inFlight, 50)
  await rig.clock.advance(300)
  assert.equal(rig.lookups.wake, 1)
  assert.equal(replica.begun(), 0)
  service.access = accessOf('s', { state: 'awaking' })
  isWoken.resolve()
  await rig.clock.advance(100)
  service.replicas = [writer('w', replica)]
  for (const { status, text, headers } of await passing(rig, Promise.all(answers))) {
    assert.deepEqual([status, text], [200, 'one\n'])
    assert.ok(Number(headers['x-granary-cold-start']) >= 400)
  }
  assert.equal(rig.lookups.wake, 1)
  assert.deepEqual(new Set(replica.asked.map(({ body }) => body)).size, 50)
  const { held: still, inFlight, coldStarts, lastQueryEndedAtMs } = rig.gateway.activity('s')
  assert.deepEqual({ still, inFlight, coldStarts }, { still: 0, inFlight: 0, coldStarts: 50 })
  assert.ok((lastQueryEndedAtMs ?? 0) > startedAtMs + 400)
  assert.equal((await ask(service.port, 'SELECT 1')).headers['x-granary-cold-start'], undefined)
})

test('who is told of the change lets the requests go at once', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { access: idle() })
  rig.onWake = () => {
    service.access = accessOf('s', { state: 'awaking' })
  }
  const answer = ask(service.port, 'SELECT 1')
  await held(rig, 1)
  await until(() => rig.lookups.wake === 1)
  service.replicas = [writer('w', replica)]
  rig.gateway.refresh('s')
  assert.equal((await answer).text, 'one\n')
})

test('a service that is coming up is waited for and not woken', async () => {
  await using replica = await startPlainReplica('one')
  for (const state of ['provisioning', 'starting', 'awaking'] as const) {
    await using rig = await startGatewayRig()
    const service = await rig.add('s', { access: accessOf('s', { state }) })
    const answer = ask(service.port, 'SELECT 1')
    await held(rig, 1)
    await rig.clock.advance(3_000)
    service.replicas = [writer('w', replica)]
    assert.equal((await passing(rig, answer)).status, 200, state)
    assert.equal(rig.lookups.wake, 0)
  }
})

test('stopped, failed and deleted services answer at once and are never woken', async () => {
  await using rig = await startGatewayRig()
  const service = await rig.add('s')
  const refusal = async (access: Parameters<typeof accessOf>[1]) => {
    service.access = accessOf('s', access)
    rig.gateway.refresh('s')
    const { status, text, headers } = await ask(service.port, 'SELECT 1')
    assert.match(text, /^Code: 279\. DB::Exception: .*\. \(ALL_CONNECTION_TRIES_FAILED\)\n$/)
    assert.equal(headers['x-clickhouse-exception-code'], '279')
    return `${status} ${text}`
  }
  assert.match(await refusal({ power: 'off', state: 'stopped' }), /^503 .*The service is stopped/)
  assert.match(
    await refusal({ power: 'off', state: 'stopping', asleep: true }),
    /^503 .*The service is stopped/,
  )
  assert.match(await refusal({ state: 'terminating' }), /^404 /)
  service.problem = { message: 'the disk is full', retryable: false }
  assert.match(await refusal({ state: 'failed' }), /^503 .*failed: the disk is full/)
  rig.services.delete('s')
  rig.gateway.refresh('s')
  assert.equal((await ask(service.port, 'SELECT 1')).status, 404)
  assert.equal(rig.lookups.wake, 0)
})

test('only so many wait; the others are told to come back', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig({ maxHeldPerService: 3, maxHeldRequests: 4 })
  const service = await rig.add('s', { access: idle() })
  const other = await rig.add('t', { access: { ...idle(), serviceId: 't', primaryServiceId: 't' } })
  const answers = Array.from({ length: 3 }, () => ask(service.port, 'SELECT 1'))
  await held(rig, 3)
  // A poll of the service does not free the places of held requests.
  await rig.clock.advance(1_000)
  const refused = await ask(service.port, 'SELECT 1')
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1'])
  assert.match(refused.text, /^Code: 202\. .*\(TOO_MANY_SIMULTANEOUS_QUERIES\)\n$/)
  const fourth = ask(other.port, 'SELECT 1')
  await until(() => rig.gateway.activity('t').held === 1)
  assert.equal((await ask(other.port, 'SELECT 1')).status, 503)
  for (const each of [service, other]) {
    each.access = { ...each.access, asleep: false, state: 'running' }
    each.replicas = [writer('w', replica)]
  }
  const all = await passing(rig, Promise.all([...answers, fourth]))
  assert.deepEqual(
    all.map(({ status }) => status),
    [200, 200, 200, 200],
  )
})

test('a client that goes away while it waits is forgotten', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { access: idle() })
  const abort = new AbortController()
  const gone = ask(service.port, { body: 'INSERT INTO t VALUES (1)', signal: abort.signal })
  await held(rig, 1)
  abort.abort()
  await assert.rejects(gone, { name: 'AbortError' })
  await held(rig, 0)
  assert.equal(rig.gateway.activity('s').inFlight, 0)
  service.access = accessOf('s')
  service.replicas = [writer('w', replica)]
  await rig.clock.advance(1_000)
  assert.equal((await ask(service.port, 'SELECT 1')).status, 200)
  assert.deepEqual(
    replica.asked.map(({ body }) => body),
    ['SELECT 1'],
  )
})

test('who waited for too long is told when to come back', async () => {
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { access: idle() })
  const startedAtMs = rig.clock.now()
  const answer = await passing(rig, ask(service.port, 'SELECT 1'))
  assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1'])
  assert.match(answer.text, /^Code: 279\. .*not up yet/)
  const waitedMs = Number(answer.headers['x-granary-cold-start'])
  assert.ok(waitedMs >= 25_000 && waitedMs < 26_000, `${waitedMs} ms`)
  assert.ok(rig.clock.now() - startedAtMs < 27_000)
  // The wake is repeated every few seconds, in case an earlier one had no effect.
  assert.ok(rig.lookups.wake >= 4 && rig.lookups.wake <= 6, `${rig.lookups.wake} wakes`)
})

test('the time to wait follows from the estimate, but is long enough for any client and not endless', () => {
  assert.deepEqual(
    [0, 400, 12_000, 20_000, 1_000_000].map(holdLimitMs),
    [25_000, 25_000, 25_000, 40_000, 300_000],
  )
})

test('a wake that fails is tried again', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { access: idle() })
  rig.onWake = () => {
    if (rig.lookups.wake < 3) throw new Error('the store is away')
    service.access = accessOf('s')
    service.replicas = [writer('w', replica)]
  }
  assert.equal((await passing(rig, ask(service.port, 'SELECT 1'))).status, 200)
  assert.equal(rig.lookups.wake, 3)
  assert.equal(rig.log.count('warn', 'could not be woken'), 2)
})

test('an engine that cannot tell is waited for', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', replica)] })
  rig.services.set('s', {
    ...service,
    get replicas(): FakeService['replicas'] {
      throw new Error('cannot know')
    },
  })
  const answer = ask(service.port, 'SELECT 1')
  await held(rig, 1)
  await rig.clock.advance(500)
  rig.services.set('s', service)
  assert.equal((await passing(rig, answer)).status, 200)
})

test('when the store goes away nobody is left waiting for ever', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { access: idle() })
  const answers = [1, 2, 3].map((i) => ask(service.port, `SELECT ${i}`))
  await held(rig, 3)
  const broken = {
    ...service,
    get access(): FakeService['access'] {
      throw new Error('the store is away')
    },
  }
  rig.services.set('s', broken)
  for (const { status } of await passing(rig, Promise.all(answers))) assert.equal(status, 503)
  await held(rig, 0)
  rig.services.set('s', { ...service, access: accessOf('s'), replicas: [writer('w', replica)] })
  assert.equal((await ask(service.port, 'SELECT 1')).status, 200)
})

test('a body is left on the connection while its request waits', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { access: idle() })
  const sent = request({
    port: service.port,
    method: 'POST',
    path: '/?user=default&password=secret',
    agent: false,
    headers: { expect: '100-continue', 'content-length': '24' },
  })
  let isAskedFor = false
  sent.on('continue', () => {
    isAskedFor = true
    sent.end('INSERT INTO t VALUES (1)')
  })
  sent.flushHeaders()
  await held(rig, 1)
  await rig.clock.advance(5_000)
  assert.equal(isAskedFor, false)
  service.access = accessOf('s')
  service.replicas = [writer('w', replica)]
  const [response] = (await passing(rig, once(sent, 'response'))) as [IncomingMessage]
  response.resume()
  assert.equal(response.statusCode, 200)
  assert.equal(isAskedFor, true)
  assert.equal(replica.asked[0]?.body, 'INSERT INTO t VALUES (1)')
})

test('a refused request that asked whether to send its body is not asked for it', async () => {
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { access: accessOf('s', { power: 'off', state: 'stopped' }) })
  const sent = request({
    port: service.port,
    method: 'POST',
    path: '/?user=default&password=secret',
    agent: false,
    headers: { expect: '100-continue', 'content-length': '1000000' },
  })
  sent.on('continue', () => assert.fail('it was asked for'))
  sent.flushHeaders()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 503)
  assert.equal(response.headers.connection, 'close')
  sent.destroy()
})

test('a write to a secondary service wakes the primary, and a read wakes only what was asked', async () => {
  await using primaryReplica = await startPlainReplica('primary')
  await using secondaryReplica = await startPlainReplica('secondary')
  await using rig = await startGatewayRig()
  const primary = await rig.add('p', { access: { ...idle(), serviceId: 'p', primaryServiceId: 'p' } })
  const secondary = await rig.add('s', { access: { ...idle(), isPrimary: false, primaryServiceId: 'p' } })
  const woken: string[] = []
  rig.onWake = ({ access }) => {
    woken.push(access.serviceId)
    const service = access.serviceId === 'p' ? primary : secondary
    service.access = { ...access, asleep: false, state: 'running' }
    if (service === primary) primary.replicas = [writer('w', primaryReplica)]
    else secondary.replicas = [observed('r', secondaryReplica)]
  }
  const insert = { path: '/?query=INSERT+INTO+t+FORMAT+CSV', body: '1\n' }
  assert.equal((await passing(rig, ask(secondary.port, insert))).text, 'primary\n')
  assert.deepEqual(woken, ['p'])
  assert.equal(rig.gateway.activity('p').inFlight, 0)
  assert.notEqual(rig.gateway.activity('p').lastQueryEndedAtMs, null)
  await rig.clock.advance(2_000)
  assert.equal((await passing(rig, ask(secondary.port, 'SELECT 1'))).text, 'secondary\n')
  assert.deepEqual(woken, ['p', 's'])
  // A statement in the body is known to write only once the service is up and the body is read.
  primary.access = { ...primary.access, asleep: true, state: 'idle' }
  primary.replicas = []
  rig.gateway.refresh('p')
  assert.equal((await passing(rig, ask(secondary.port, 'DROP TABLE t'))).text, 'primary\n')
  assert.deepEqual(woken, ['p', 's', 'p'])
})

test('a write to a secondary service whose primary is stopped is told so', async () => {
  await using replica = await startPlainReplica('secondary')
  await using rig = await startGatewayRig()
  await rig.add('p', { access: accessOf('p', { power: 'off', state: 'stopped' }) })
  const access = accessOf('s', { isPrimary: false, primaryServiceId: 'p' })
  const service = await rig.add('s', { access, replicas: [observed('r', replica)] })
  const answer = await ask(service.port, 'INSERT INTO t VALUES (1)')
  assert.equal(answer.status, 503)
  assert.match(answer.text, /^Code: 279\. DB::Exception: The primary service .* is stopped/)
  assert.equal((await ask(service.port, 'SELECT 1')).status, 200)
})

test('when the gateway stops, those who wait are sent away', async () => {
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { access: idle() })
  const answer = ask(service.port, 'SELECT 1')
  await held(rig, 1)
  const stopped = rig.gateway.stop()
  assert.equal((await answer).status, 503)
  await stopped
  await assert.rejects(ask(service.port, 'SELECT 1'), { code: 'ECONNREFUSED' })
})
