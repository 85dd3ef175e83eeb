import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createFakeEngine } from '../../test/support/fake-engine.ts'
import { createLoopRig } from '../../test/support/loop-rig.ts'
import { addOrganization, addPipe, addService, type NewService } from '../../test/support/store-records.ts'
import { applyCommand, type ServiceCommand } from '../domain/service/transitions.ts'
import type { ServiceRecord, ServiceSpec } from '../domain/service/types.ts'
import { createAbsentEngine } from '../engine/absent.ts'
import type { Engine } from '../engine/engine.ts'
import { TerminalError } from './loop.ts'
import { createServiceLoop, type Endpoints } from './services.ts'

/** One service, its loop and a fake engine; the loop is not started yet. */
async function createRig(t: TestContext, over: Partial<NewService> = {}) {
  const rig = await createLoopRig(t)
  const { store, clock } = rig
  const engine = createFakeEngine({ clock })
  const { id: organizationId } = await addOrganization(store)
  const service = await addService(store, organizationId, over)
  const read = async () => (await store.services.find(service.id)) ?? assert.fail('the service is gone')
  const intend = (plan: (service: ServiceRecord) => Partial<ServiceRecord>) =>
    store.transaction(async (tx) => {
      const current = (await tx.services.get(organizationId, service.id)) ?? assert.fail()
      return tx.services.saveIntent({ ...current, ...plan(current) })
    })
  return {
    ...rig,
    engine,
    service,
    organizationId,
    read,
    /** By default on the fake engine. */
    start: (on: Engine = engine, endpoints?: Endpoints) =>
      rig.start(createServiceLoop({ store, engine: on, clock, ...(endpoints ? { endpoints } : {}) })),
    state: async () => (await read()).status.state,
    status: async () => (await read()).status,
    change: (change: Partial<ServiceSpec>) => intend(({ spec }) => ({ spec: { ...spec, ...change } })),
    command: (command: ServiceCommand) =>
      intend(({ spec, status }) => applyCommand(command, spec, status, clock.now()) ?? {}),
    remove: () =>
      intend(({ spec, status }) => ({
        spec: { ...spec, power: 'off', deleting: true },
        status: { ...status, state: 'terminating' },
      })),
  }
}

test('a new service is provisioning until its replicas serve, then running; the engine gets all of it', async (t) => {
  const { start, watch, status, engine, service, clock } = await createRig(t)
  const madeAtMs = clock.now()
  start()
  const seen = await watch(15_000, async () => {
    const { state, reason } = await status()
    return `${state}: ${reason}`
  })
  assert.deepEqual(seen, [
    'provisioning: the service was just created',
    'provisioning: a change is being handed to the engine',
    'provisioning: turning on',
    'running: all replicas serve',
  ])
  const { sinceMs, ...rest } = await status()
  assert.ok(sinceMs >= madeAtMs + 10_000 && sinceMs <= madeAtMs + 11_000)
  assert.deepEqual(rest, {
    state: 'running',
    reason: 'all replicas serve',
    observedGeneration: 1,
    dbVersion: 'fake 1.0',
    provisioned: true,
    current: { numReplicas: 2, replicaMemoryGb: 8 },
  })
  assert.deepEqual(engine.applied, [
    {
      serviceId: service.id,
      warehouseId: service.warehouseId,
      generation: 1,
      power: 'on',
      replicas: 2,
      memoryBytesPerReplica: 8 * 1024 ** 3,
      role: 'primary',
      durableInserts: true,
      restoreFrom: null,
    },
  ])
})

test('one whose endpoint cannot be opened is degraded until it can be', async (t) => {
  const { start, clock, status, engine } = await createRig(t)
  const nothing = () => {}
  let problem = 'port 18123: another program listens there'
  start(engine, { open: nothing, close: nothing, refresh: nothing, problem: () => problem })
  await clock.advance(60_000)
  const { state, reason } = await status()
  assert.deepEqual([state, reason], ['degraded', `its endpoint cannot be opened: ${problem}`])
  problem = ''
  await clock.advance(10_000)
  assert.equal((await status()).state, 'running')
})

test('stop and start: stopping until it is off, then starting, no longer provisioning', async (t) => {
  const { start, watch, state, status, command, clock } = await createRig(t)
  start()
  await clock.advance(15_000)
  await command('stop')
  assert.deepEqual(await watch(5_000, state), ['stopping', 'stopped'])
  assert.deepEqual((await status()).current, { numReplicas: 0, replicaMemoryGb: 0 })
  assert.equal((await status()).dbVersion, 'fake 1.0')
  await command('start')
  assert.deepEqual(await watch(15_000, state), ['starting', 'running'])
})

test('a change of a running service leaves it running, and is true in the end', async (t) => {
  const { start, watch, status, change, clock } = await createRig(t)
  start()
  await clock.advance(15_000)
  await change({ numReplicas: 4, minReplicaMemoryGb: 16 })
  const seen = await watch(15_000, async () => {
    const { state, current } = await status()
    return `${state} ${current.numReplicas} x ${current.replicaMemoryGb}`
  })
  assert.deepEqual(seen, ['running 2 x 8', 'running 4 x 16'])
  assert.equal((await status()).observedGeneration, 2)
})

for (const isPrimary of [true, false]) {
  test(`delete: a ${isPrimary ? 'primary' : 'secondary'} service is destroyed until nothing is left, then forgotten`, async (t) => {
    const rig = await createRig(t, { isPrimary })
    const { start, remove, clock, engine, service, store, queued, organizationId } = rig
    await addPipe(store, service)
    engine.destroysNeeded = 3
    start()
    await clock.advance(15_000)
    await remove()
    await clock.advance(1_500)
    assert.equal((await rig.status()).state, 'terminating')
    assert.equal(engine.holds(service.id), true)
    await clock.advance(10_000)
    assert.equal(engine.holds(service.id), false)
    assert.equal(await store.services.find(service.id), null)
    assert.deepEqual(await store.pipes.list(service.id), [])
    assert.equal((await store.organizations.get(organizationId))?.serviceCount, 0)
    const data = isPrimary ? 'purge' : 'keep'
    assert.deepEqual(engine.destroyed, Array(3).fill({ serviceId: service.id, data }))
    // Only the pipe is left in the queue, for its own loop.
    assert.deepEqual(
      (await queued()).filter((item) => !item.startsWith('pipe/')),
      [],
    )
  })
}

test('an engine that comes up in part is partially running, and degraded with a problem, until it is whole', async (t) => {
  const { start, status, engine, clock } = await createRig(t)
  engine.replicasAtMost = 1
  start()
  await clock.advance(15_000)
  assert.deepEqual(await told(status), ['partially_running', '1 of 2 replicas serve'])
  engine.replicasAtMost = null
  engine.problem = { message: 'a disk is slow', retryable: true }
  await clock.advance(2_000)
  assert.deepEqual(await told(status), ['degraded', 'a disk is slow'])
  engine.problem = null
  await clock.advance(2_000)
  assert.deepEqual(await told(status), ['running', 'all replicas serve'])
})

test('a problem that does not pass fails the service until a new intent, which is tried at once', async (t) => {
  const { start, status, change, engine, clock } = await createRig(t)
  start()
  await clock.advance(15_000)
  engine.problem = { message: 'the disk is gone', retryable: false }
  await change({ numReplicas: 3 })
  await clock.advance(2_000)
  assert.deepEqual(await told(status), ['failed', 'the disk is gone'])
  engine.problem = null
  await change({ numReplicas: 2 })
  await clock.advance(15_000)
  assert.deepEqual(await told(status), ['running', 'all replicas serve'])
})

test('a refusal: before the first run it leaves the service provisioning, later it fails; the reason is shown', async (t) => {
  const { start, status, change, engine, clock } = await createRig(t)
  engine.refusal = { refused: 'too large for this machine', retryable: false }
  start()
  await clock.advance(30_000)
  assert.deepEqual(await told(status), ['provisioning', 'too large for this machine'])
  assert.equal(engine.applied.length, 1, 'asked again what cannot be answered otherwise')
  engine.refusal = { refused: 'no room at the moment', retryable: true }
  await change({ numReplicas: 3 })
  await clock.advance(5_000)
  assert.deepEqual(await told(status), ['provisioning', 'no room at the moment'])
  engine.refusal = null
  await clock.advance(15_000)
  assert.deepEqual(await told(status), ['running', 'all replicas serve'])
  engine.refusal = { refused: 'too large for this machine', retryable: false }
  await change({ numReplicas: 20 })
  await clock.advance(5_000)
  assert.deepEqual(await told(status), ['failed', 'too large for this machine'])
})

for (const call of ['observe', 'apply'] as const) {
  test(`an engine whose ${call} throws: the reason is shown, the state stays, and it is tried again`, async (t) => {
    const { start, status, engine, clock, log } = await createRig(t)
    const { sinceMs } = await status()
    const fail = (each: string) => {
      if (each === call) throw new Error('the engine does not answer')
    }
    engine.before = fail
    start()
    await clock.advance(6_500)
    assert.deepEqual(await told(status), ['provisioning', 'the engine does not answer'])
    assert.equal((await status()).sinceMs, sinceMs, 'it is in that state since it was made')
    // Runs at 0, 1 and 3 seconds.
    assert.equal(log.count('warn', 'reconcile failed'), 3)
    engine.before = () => undefined
    await clock.advance(15_000)
    assert.deepEqual(await told(status), ['running', 'all replicas serve'])
    engine.before = fail
    assert.equal((await status()).observedGeneration, 1)
  })
}

test('an engine that fails for good: failed with its reason, and not tried before the next intent', async (t) => {
  const { start, status, change, engine, clock } = await createRig(t)
  engine.before = () => {
    throw new TerminalError('the engine is too old')
  }
  start()
  await clock.advance(600_000)
  assert.deepEqual(await told(status), ['failed', 'the engine is too old'])
  assert.equal(engine.observations, 1)
  engine.before = () => undefined
  await change({ numReplicas: 3 })
  await clock.advance(15_000)
  assert.deepEqual(await told(status), ['running', 'all replicas serve'])
})

test('an intent that comes during a run: the status of that run is dropped, the new one follows at once', async (t) => {
  const { start, status, command, engine, clock } = await createRig(t)
  start()
  await clock.advance(15_000)
  const held = Promise.withResolvers<void>()
  engine.before = (call) => (call === 'observe' ? held.promise : undefined)
  await command('stop')
  await clock.advance(1_000)
  // The run has read "stop" and waits for the engine; meanwhile the user asks for a start.
  await command('start')
  const seen: string[] = []
  engine.before = async (call) => {
    if (call === 'observe') seen.push((await status()).state)
  }
  held.resolve()
  await clock.advance(0)
  assert.deepEqual(seen.slice(0, 1), ['starting'], 'not found by a next run at once, or overwritten')
  await clock.advance(15_000)
  assert.deepEqual(await told(status), ['running', 'all replicas serve'])
  assert.equal((await status()).observedGeneration, 3)
})

test('a failure of a run that a newer intent overtook is not shown on the newer one', async (t) => {
  const { start, status, change, engine, clock } = await createRig(t)
  const held = Promise.withResolvers<void>()
  engine.before = async () => {
    await held.promise
    throw new TerminalError('the old wish is impossible')
  }
  start()
  await clock.advance(1_000)
  await change({ numReplicas: 3 })
  const seen: string[] = []
  engine.before = async () => void seen.push((await status()).state)
  held.resolve()
  await clock.advance(15_000)
  assert.equal(seen[0], 'provisioning', 'the failure of the old wish was written')
  assert.deepEqual(await told(status), ['running', 'all replicas serve'])
})

test('an engine that cannot tell changes nothing, and is asked again', async (t) => {
  const { start, status, engine, clock, change } = await createRig(t)
  start()
  await clock.advance(15_000)
  engine.knows = false
  await change({ numReplicas: 3 })
  await clock.advance(5_000)
  assert.deepEqual(await told(status), ['running', 'the engine cannot tell at the moment'])
  assert.equal(engine.applied.length, 1)
  engine.knows = true
  await clock.advance(15_000)
  assert.equal((await status()).current.numReplicas, 3)
})

test('an engine that forgot what it accepted gets it again', async (t) => {
  const { start, status, engine, clock, service } = await createRig(t)
  start()
  await clock.advance(5_000)
  engine.forget(service.id)
  await clock.advance(15_000)
  assert.deepEqual(
    engine.applied.map(({ generation }) => generation),
    [1, 1],
  )
  assert.deepEqual(await told(status), ['running', 'all replicas serve'])
})

test('an engine that takes a change and never makes it true is not believed', async (t) => {
  const { start, status, engine, clock } = await createRig(t)
  engine.settles = false
  start()
  await clock.advance(600_000)
  assert.deepEqual(await told(status), ['provisioning', 'turning on'])
  engine.settles = true
  await clock.advance(2_000)
  assert.deepEqual(await told(status), ['running', 'all replicas serve'])
})

test('a service at rest is looked at again within the hour and a quarter, and what changed is found', async (t) => {
  const { start, status, engine, clock, service } = await createRig(t)
  start()
  await clock.advance(15_000)
  const before = engine.observations
  await clock.advance(40 * 60_000)
  assert.equal(engine.observations, before)
  engine.idle.add(service.id)
  await clock.advance(35 * 60_000)
  assert.deepEqual(await told(status), ['idle', 'no query for the idle timeout'])
})

test('a service that was removed beside the loop leaves nothing in the queue', async (t) => {
  const { start, clock, execute, queued } = await createRig(t)
  await execute('delete from services')
  start()
  await clock.advance(1_000)
  assert.ok(!(await queued()).some((item) => item.startsWith('service/')))
})

test('without an engine: provisioning with the reason, and stop, start and delete work', async (t) => {
  const { store, clock, start, status, command, service, queued, remove } = await createRig(t)
  start(createAbsentEngine())
  await clock.advance(60_000)
  const waiting = ['provisioning', 'no warehouse engine runs here']
  assert.deepEqual(await told(status), waiting)
  await command('stop')
  await clock.advance(1_000)
  assert.deepEqual(await told(status), ['stopped', 'stopped on request'])
  await command('start')
  await clock.advance(1_000)
  assert.deepEqual(await told(status), waiting)
  await command('stop')
  await clock.advance(1_000)
  await remove()
  await clock.advance(1_000)
  assert.equal(await store.services.find(service.id), null)
  assert.deepEqual(await queued(), [])
})

async function told(status: () => Promise<{ state: string; reason: string }>) {
  const { state, reason } = await status()
  return [state, reason]
}

test('every new state, and the end, is told to the audit trail with its reason; progress within a state is not', async (t) => {
  const { start, watch, state, command, remove, store, organizationId, service } = await createRig(t)
  start()
  await watch(15_000, state)
  await command('stop')
  await watch(15_000, state)
  await remove()
  await watch(15_000, async () => ((await store.services.find(service.id)) ? 'there' : 'gone'))
  const told = (await store.activities.list(organizationId, {})).reverse()
  assert.deepEqual(
    told.map(({ type, before, after }) => `${type}: ${before['state']} → ${after['state'] ?? ''}`),
    [
      'service_state: provisioning → running',
      'service_state: stopping → stopped',
      'service_deleted: terminating → ',
    ],
  )
  for (const activity of told) {
    assert.equal(activity.actorType, 'system')
    assert.equal(activity.resourceId, service.id)
    assert.notEqual(activity.reason, '')
  }
})
