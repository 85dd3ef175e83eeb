import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createFakeEngine } from '../../test/support/fake-engine.ts'
import { createLoopRig } from '../../test/support/loop-rig.ts'
import { addOrganization, addService } from '../../test/support/store-records.ts'
import type { ServiceSpec } from '../domain/service/types.ts'
import type { ReplicaUsage } from '../engine/engine.ts'
import { createAutomatic } from './automatic.ts'
import { createServiceLoop } from './services.ts'
import { wakeService } from './system-intents.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const gib = 1024 ** 3

/** A running service on a fake engine; the test controls what its users do. */
async function createRig(t: TestContext, spec: Partial<ServiceSpec>, timeScale = 1) {
  const rig = await createLoopRig(t)
  const { store, clock } = rig
  const engine = createFakeEngine({ clock })
  const { id: organizationId } = await addOrganization(store)
  const { id } = await addService(store, organizationId)
  const read = async () => (await store.services.find(id)) ?? assert.fail('the service is gone')
  await store.transaction(async (tx) => {
    const current = (await tx.services.get(organizationId, id)) ?? assert.fail()
    await tx.services.saveIntent({ ...current, spec: { ...current.spec, ...spec } })
  })
  const users = { inFlight: 0, background: 0, lastQueryEndedAtMs: null as number | null }
  const parts = { store, clock, wake: () => {} }
  const automatic = createAutomatic({ ...parts, activity: () => users, timeScale })
  rig.start(createServiceLoop({ store, engine, clock, automatic }))
  await clock.advance(minuteMs)
  assert.equal((await read()).status.state, 'running')
  return {
    ...rig,
    id,
    engine,
    users,
    read,
    state: async () => (await read()).status.state,
    wake: () => wakeService(parts, id),
    trail: async (type: string) =>
      (await store.activities.list(organizationId, {})).filter((activity) => activity.type === type),
  }
}

test('a service that nobody asks sleeps after its timeout, and its engine is told to idle', async (t) => {
  const { clock, state, engine, read, trail } = await createRig(t, {
    idleScaling: true,
    idleTimeoutMinutes: 5,
  })
  await clock.advance(3 * minuteMs)
  assert.equal(await state(), 'running')
  await clock.advance(4 * minuteMs)
  assert.equal(await state(), 'idle')
  assert.equal(engine.applied.at(-1)?.power, 'idle')
  assert.match((await read()).status.reason, /no query for/)
  const [entry] = await trail('service_idle')
  assert.equal(entry?.actorType, 'system')
  assert.match(entry?.reason ?? '', /no query for 5 min/)
})

test('a query in flight, a late one, a merge, or a statement of a pipe keeps it awake', async (t) => {
  const { clock, state, users, engine } = await createRig(t, { idleScaling: true, idleTimeoutMinutes: 5 })
  users.inFlight = 1
  await clock.advance(20 * minuteMs)
  assert.equal(await state(), 'running')
  users.inFlight = 0
  users.lastQueryEndedAtMs = clock.now()
  await clock.advance(4 * minuteMs)
  assert.equal(await state(), 'running')
  engine.busy = { ...engine.busy, merges: 1 }
  await clock.advance(20 * minuteMs)
  assert.equal(await state(), 'running')
  engine.busy = { ...engine.busy, merges: 0 }
  users.background = 1
  await clock.advance(20 * minuteMs)
  assert.equal(await state(), 'running')
  users.background = 0
  await clock.advance(2 * minuteMs)
  assert.equal(await state(), 'idle')
})

test('a wake brings it back through awaking, once, however many ask', async (t) => {
  const rig = await createRig(t, { idleScaling: true, idleTimeoutMinutes: 5 })
  const { clock, state, engine, wake, trail } = rig
  await clock.advance(7 * minuteMs)
  assert.equal(await state(), 'idle')
  const before = engine.applied.length
  const woken = await Promise.all(Array.from({ length: 50 }, () => wake()))
  assert.equal(woken.filter(Boolean).length, 1)
  assert.equal(await state(), 'awaking')
  await clock.advance(minuteMs)
  assert.equal(await state(), 'running')
  assert.equal(engine.applied.length, before + 1)
  assert.equal((await trail('service_awake')).length, 1)
})

test('time that passes faster shortens the timeout, not the rules', async (t) => {
  const { clock, state } = await createRig(t, { idleScaling: true, idleTimeoutMinutes: 60 }, 60)
  await clock.advance(minuteMs + 30_000)
  assert.equal(await state(), 'idle')
})

test('one that may not sleep does not', async (t) => {
  const { clock, state } = await createRig(t, { idleScaling: false, idleTimeoutMinutes: 5 })
  await clock.advance(3 * hourMs)
  assert.equal(await state(), 'running')
})

const using = (gb: number): Partial<ReplicaUsage> => ({
  residentBytes: gb * gib,
  peakResidentBytes: gb * gib,
  peakQueryBytes: gb * gib,
})

test('memory follows the peaks: up in one step, down after the short window, each with its reason', async (t) => {
  const bounds = { minReplicaMemoryGb: 8, maxReplicaMemoryGb: 64, idleScaling: false }
  const { clock, engine, read, trail } = await createRig(t, bounds)
  const base = engine.replica
  const use = (usage: Partial<ReplicaUsage>) => {
    engine.replica = { ...base, usage: { ...idle, ...usage } }
  }
  use(using(20))
  await clock.advance(10 * minuteMs)
  const up = engine.applied.at(-1)?.memoryBytesPerReplica ?? 0
  assert.ok(up >= 22 * gib && up % (4 * gib) === 0, `${up / gib}`)
  const [grown] = await trail('service_autoscaled')
  assert.match(grown?.reason ?? '', /GB/)
  assert.equal((await read()).spec.automatic?.reason, grown?.reason)
  use(using(2))
  await clock.advance(8 * hourMs)
  assert.equal(engine.applied.at(-1)?.memoryBytesPerReplica, 8 * gib)
})

test('running out of memory raises it even when peaks look low; equal bounds pin it', async (t) => {
  const usage = { ...idle, ...using(1) }
  const free = await createRig(t, { minReplicaMemoryGb: 8, maxReplicaMemoryGb: 64, idleScaling: false })
  free.engine.replica = { usage }
  await free.clock.advance(minuteMs)
  free.engine.replica = { usage: { ...usage, outOfMemory: 1 }, startedAtMs: 1 }
  await free.clock.advance(5 * minuteMs)
  assert.equal(free.engine.applied.at(-1)?.memoryBytesPerReplica, 12 * gib)

  const pinned = await createRig(t, { minReplicaMemoryGb: 8, maxReplicaMemoryGb: 8, idleScaling: false })
  pinned.engine.replica = { usage: { ...usage, ...using(30), outOfMemory: 9 } }
  await pinned.clock.advance(hourMs)
  assert.equal(pinned.engine.applied.at(-1)?.memoryBytesPerReplica, 8 * gib)
  assert.deepEqual(await pinned.trail('service_autoscaled'), [])
})

const idle: ReplicaUsage = {
  ...{
    residentBytes: 0,
    peakQueryBytes: 0,
    peakResidentBytes: 0,
    cpuSeconds: 0,
    runningQueries: 0,
    queries: 0,
  },
  ...{ failedQueries: 0, outOfMemory: 0, rowsRead: 0, bytesRead: 0, rowsWritten: 0, bytesWritten: 0 },
}

test('however fast time passes, three hours of low use are enough to shrink', async (t) => {
  const bounds = { minReplicaMemoryGb: 8, maxReplicaMemoryGb: 64, idleScaling: false }
  const { clock, engine } = await createRig(t, bounds, 720)
  const use = (gb: number) => {
    engine.replica = { usage: { ...idle, ...using(gb) } }
  }
  use(20)
  await clock.advance(5_000)
  assert.equal(engine.applied.at(-1)?.memoryBytesPerReplica, 24 * gib)
  use(1)
  // Three hours of product time are 15 seconds.
  await clock.advance(25_000)
  assert.equal(engine.applied.at(-1)?.memoryBytesPerReplica, 8 * gib)
})
