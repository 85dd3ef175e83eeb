import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createDriver, type DriverOptions } from '../../src/reconcile/driver.ts'
import type { Loop } from '../../src/reconcile/loop.ts'
import { createLink } from './driver-rig.ts'
import { createRecordingLog } from './recording-log.ts'
import { addOrganization, addService } from './store-records.ts'
import type { CreateRig, StoreRig } from './store-rig.ts'

/** The driver of the loops on this store's queue. */
export function testStoreDriver(createRig: CreateRig): void {
  test('drivers: two share two hundred items, and no item is ever run twice at once', async (t) => {
    const rig = await createRig(t)
    const { store, peer, until } = rig
    const { id: organizationId } = await addOrganization(store)
    const ids = await addServices(rig, organizationId, 200)
    const running = new Set<string>()
    const runsOf = new Map<string, number>()
    const shares = { a: 0, b: 0 }
    const loopOf = (owner: 'a' | 'b'): Loop => ({
      kind: 'service',
      async reconcile(id, { claim }) {
        assert.ok(!running.has(id), 'the item was run twice at once')
        running.add(id)
        shares[owner] += 1
        runsOf.set(id, (runsOf.get(id) ?? 0) + 1)
        // Queries the database, so that runs overlap.
        const each = owner === 'a' ? store : peer
        const service = (await each.services.find(id)) ?? assert.fail()
        const status = { ...service.status, reason: `seen by ${owner}` }
        assert.equal(await each.services.saveStatus(service, status, claim), true)
        running.delete(id)
        return { reason: 'done' }
      },
    })
    const drivers = [
      start(t, rig, { work: store.work, loops: [loopOf('a')], owner: 'a' }),
      start(t, rig, { work: peer.work, loops: [loopOf('b')], owner: 'b' }),
    ]
    await until('all items are done', async () => (await store.work.nextDueInMs(['service'])) === null)
    await stop(rig, ...drivers)
    for (const id of ids) assert.equal(runsOf.get(id), 1)
    assert.equal(shares.a + shares.b, 200)
    assert.ok(shares.a > 0 && shares.b > 0, JSON.stringify(shares))
    for (const service of await store.services.list(organizationId)) {
      assert.match(service.status.reason, /^seen by [ab]$/)
    }
    for (const { log } of drivers) assert.deepEqual([log.count('warn', ''), log.count('error', '')], [0, 0])
  })

  test('drivers: what a dead one held is taken over when its leases end, and it can write no more', async (t) => {
    const rig = await createRig(t)
    const { store, peer, until } = rig
    const { id: organizationId } = await addOrganization(store)
    const ids = await addServices(rig, organizationId, 10)
    const stuck = Promise.withResolvers<void>()
    const dead = createLink(store.work)
    const lateWrites: boolean[] = []
    const begun = new Set<string>()
    const first: Loop = {
      kind: 'service',
      async reconcile(id, { claim }) {
        const service = (await store.services.find(id)) ?? assert.fail()
        begun.add(id)
        await stuck.promise
        const status = { ...service.status, reason: 'too late' }
        lateWrites.push(await store.services.saveStatus(service, status, claim))
        return { reason: 'too late' }
      },
    }
    const former = start(t, rig, { work: dead, loops: [first], owner: 'a', leaseMs: 600 })
    await until('the first driver has them all', async () => {
      await store.ping()
      return begun.size === ids.length
    })
    dead.mode = 'dead'
    const done = new Set<string>()
    const second: Loop = {
      kind: 'service',
      async reconcile(id, { claim }) {
        const service = (await peer.services.find(id)) ?? assert.fail()
        const status = { ...service.status, reason: 'taken over' }
        if (await peer.services.saveStatus(service, status, claim)) done.add(id)
        return { reason: 'taken over' }
      },
    }
    const next = start(t, rig, { work: peer.work, loops: [second], owner: 'b', leaseMs: 600 })
    await until('the second has taken them over', async () => {
      await peer.ping()
      return done.size === ids.length
    })
    stuck.resolve()
    await until('the first has tried to write', async () => {
      await store.ping()
      return lateWrites.length === ids.length
    })
    assert.deepEqual(new Set(lateWrites), new Set([false]))
    for (const service of await store.services.list(organizationId)) {
      assert.equal(service.status.reason, 'taken over')
    }
    await stop(rig, former, next)
  })

  test('drivers: one that stops gives its leases back, so that nobody waits for their end', async (t) => {
    const rig = await createRig(t)
    const { store, peer, until } = rig
    const { id: organizationId } = await addOrganization(store)
    await addServices(rig, organizationId, 3)
    let begun = 0
    const patient: Loop = {
      kind: 'service',
      reconcile: (_id, { signal }) =>
        new Promise((_resolve, reject) => {
          begun += 1
          signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
        }),
    }
    const options = { work: store.work, loops: [patient], owner: 'a', leaseMs: 600_000, graceMs: 50 }
    const driver = start(t, rig, options)
    await until('all have begun', async () => {
      await store.ping()
      return begun === 3
    })
    await stop(rig, driver)
    const claims = await peer.work.claim({ owner: 'b', kinds: ['service'], limit: 9, leaseMs: 60_000 })
    assert.equal(claims.length, 3)
    for (const claim of claims) assert.equal(claim.attempts, 0)
  })
}

async function addServices({ store, peer }: StoreRig, organizationId: string, count: number) {
  const made = Array.from({ length: count }, (_, n) => addService(n % 2 ? peer : store, organizationId))
  return (await Promise.all(made)).map(({ id }) => id)
}

function start(
  t: TestContext,
  { clock }: StoreRig,
  options: Pick<DriverOptions, 'work' | 'loops' | 'owner'> & Partial<DriverOptions>,
) {
  const log = createRecordingLog()
  const driver = createDriver({ clock, log, pollMs: 100, graceMs: 100, ...options })
  const end = new AbortController()
  t.after(() => end.abort())
  return { log, stop: () => driver.stop(), ended: driver.run(end.signal) }
}

/** Stops all drivers while time passes. */
async function stop(rig: StoreRig, ...drivers: { stop(): Promise<void> }[]): Promise<void> {
  let left = drivers.length
  for (const driver of drivers) {
    void driver.stop().then(() => {
      left -= 1
    })
  }
  await rig.until('the drivers stop', async () => {
    await rig.store.ping()
    return left === 0
  })
}
