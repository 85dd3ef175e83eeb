import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessOf } from '../../../test/support/gateway-rig.ts'
import type { EndpointAccess } from '../../domain/service/endpoint.ts'
import { chooseRoute, type Need } from './choose-route.ts'
import { leastBusy, occupy, type Replica } from './routes.ts'
import type { ServiceTarget } from './service-target.ts'

const nowMs = 1_000
const upstream: Replica['upstream'] = {
  head: () => '',
  take() {
    throw new Error('nothing is sent here')
  },
  close() {},
}

const replica = (id: string, more: Partial<Replica> = {}): Replica => ({
  id,
  serviceId: 's',
  upstream,
  canRead: true,
  canWrite: false,
  seesUntilMs: 0,
  inFlight: 0,
  lastTurn: 0,
  restsUntilMs: 0,
  failures: 0,
  ...more,
})

const place = (
  replicas: Replica[],
  access: Partial<EndpointAccess> | null = {},
  problem = '',
): ServiceTarget => ({
  access: access && accessOf('s', access),
  routes: { problem, replicas },
})

function route(need: Need, own: ServiceTarget, { primary = own, preferred = '' } = {}) {
  const answer = chooseRoute({ need, own, primary, preferred, nowMs })
  if ('to' in answer) return answer.to.id
  return 'refuse' in answer ? `${answer.refuse.status} ${answer.refuse.message}` : answer
}

const writer = replica('w', { canWrite: true })

test('the least busy replica reads; the writer writes, however busy', () => {
  const own = place([
    replica('a', { inFlight: 2 }),
    replica('b', { inFlight: 1 }),
    { ...writer, inFlight: 9 },
  ])
  assert.equal(route('any', own), 'b')
  assert.equal(route('writer', own), 'w')
  assert.equal(route('writerFirst', own), 'w')
})

test('equals take turns, and only a request that is sent counts as one', () => {
  const replicas = [replica('a'), replica('b'), replica('c')]
  const seen = Array.from({ length: 6 }, () => {
    assert.equal(leastBusy(replicas), leastBusy(replicas))
    const next = leastBusy(replicas) ?? assert.fail()
    occupy(next)
    next.inFlight -= 1
    return next.id
  })
  assert.deepEqual(seen, ['a', 'b', 'c', 'a', 'b', 'c'])
  assert.equal(leastBusy([]), undefined)
})

test('replicas that cannot, or rest, are passed over', () => {
  const own = place([
    replica('a', { canRead: false }),
    replica('b', { restsUntilMs: nowMs + 1 }),
    replica('c'),
  ])
  assert.equal(route('any', own), 'c')
  assert.equal(route('any', place([replica('b', { restsUntilMs: nowMs })])), 'b')
  assert.deepEqual(route('any', place([replica('b', { restsUntilMs: nowMs + 1 })])), {
    waitFor: 's',
    wake: false,
  })
})

test('the preferred one is taken where it can be', () => {
  const own = place([replica('a'), replica('b', { inFlight: 5 })])
  assert.equal(route('any', own, { preferred: 'b' }), 'b')
  assert.equal(route('any', place([replica('a')]), { preferred: 'gone' }), 'a')
})

test('states', () => {
  const up = [writer]
  assert.match(String(route('any', place(up, null))), /^404 /)
  assert.match(String(route('any', place(up, { state: 'terminating' }))), /^404 /)
  assert.match(
    String(route('any', place(up, { power: 'off', state: 'stopped' }))),
    /^503 The service is stopped/,
  )
  assert.match(
    String(route('any', place(up, { power: 'off', state: 'stopping' }))),
    /^503 The service is stopped/,
  )
  assert.match(
    String(route('any', place([], { state: 'failed' }, 'disk full'))),
    /^503 .* failed: disk full$/,
  )
  assert.equal(route('any', place(up, { state: 'failed' })), 'w')
  for (const state of ['provisioning', 'starting', 'awaking', 'running', 'degraded'] as const) {
    assert.deepEqual(route('any', place([], { state })), { waitFor: 's', wake: false }, state)
  }
  assert.deepEqual(route('any', place([], { state: 'idle' })), { waitFor: 's', wake: true })
  assert.deepEqual(route('any', place([], { state: 'failed', asleep: true })), { waitFor: 's', wake: true })
})

test('what still runs of a service that falls asleep is not used', () => {
  assert.deepEqual(route('any', place([writer], { asleep: true, state: 'idle' })), {
    waitFor: 's',
    wake: true,
  })
})

test('a service that is up before its state says so is used', () => {
  assert.equal(route('any', place([writer], { state: 'idle' })), 'w')
})

test('a secondary service writes through the primary, whatever its own replicas do', () => {
  const own = place([], { serviceId: 's2', isPrimary: false, asleep: true, state: 'idle' })
  const to = (access: Partial<EndpointAccess> | null, replicas = [writer]) =>
    route('writer', own, { primary: place(replicas, access) })
  assert.equal(to({}), 'w')
  assert.deepEqual(to({ asleep: true, state: 'idle' }), { waitFor: 's', wake: true })
  assert.deepEqual(to({}, []), { waitFor: 's', wake: false })
  assert.match(String(to({ power: 'off' })), /^503 The primary service .* is stopped/)
  assert.match(String(to({ state: 'failed' }, [])), /^503 The primary service .* failed/)
  assert.match(String(to(null)), /^404 /)
})

test('a stopped secondary refuses writes although the primary runs', () => {
  const own = place([], { isPrimary: false, power: 'off' })
  assert.match(String(route('writer', own, { primary: place([writer]) })), /^503 The service is stopped/)
})

test('writerFirst falls back to readers at once, ownWrites waits for a writer that is coming', () => {
  const own = place([replica('a')], { serviceId: 's2', isPrimary: false })
  const asleep = place([writer], { asleep: true, state: 'idle' })
  assert.equal(route('writerFirst', own, { primary: asleep }), 'a')
  assert.equal(route('ownWrites', own, { primary: asleep }), 'a')
  assert.equal(route('writerFirst', own, { primary: place([]) }), 'a')
  assert.deepEqual(route('ownWrites', own, { primary: place([]) }), { waitFor: 's', wake: false })
  assert.equal(route('ownWrites', own, { primary: place([], { power: 'off' }) }), 'a')
  assert.equal(route('ownWrites', own, { primary: place([], { state: 'failed' }) }), 'a')
})
