import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Claim } from '../../src/lib/work-queue.ts'
import type { Store } from '../../src/store/store.ts'
import { addOrganization, addPipe, addService } from './store-records.ts'
import { type CreateRig, claimOne } from './store-rig.ts'

const kinds = ['service', 'pipe']
const rest = { dueInMs: null, attempts: 0, reason: 'at rest' }

/** The work queue, as `lib/work-queue.ts` specifies it. */
export function testStoreWork(createRig: CreateRig): void {
  test('work: a claim takes what is due of its kinds, up to its limit, and nobody else gets it', async (t) => {
    const { store, peer } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const services = await Promise.all([1, 2, 3].map(() => addService(store, organizationId)))
    const pipe = await addPipe(store, services[0] ?? assert.fail())
    const ask = { owner: 'a', kinds: ['service'], limit: 2, leaseMs: 60_000 }
    assert.deepEqual(await store.work.claim({ ...ask, kinds: [] }), [])
    assert.deepEqual(await store.work.claim({ ...ask, limit: 0 }), [])
    assert.deepEqual(await store.work.claim({ ...ask, kinds: ['backup'] }), [])
    const first = await store.work.claim(ask)
    assert.equal(first.length, 2)
    const second = await peer.work.claim({ ...ask, owner: 'b', limit: 10 })
    assert.equal(second.length, 1)
    assert.deepEqual([...first, ...second].map(({ id }) => id).sort(), services.map(({ id }) => id).sort())
    for (const claim of first) {
      const { id } = claim
      assert.deepEqual(claim, { kind: 'service', id, owner: 'a', epoch: 1, generation: 1, attempts: 0 })
    }
    assert.deepEqual(await store.work.claim({ ...ask, limit: 10 }), [])
    const others = await store.work.claim({ ...ask, kinds, limit: 10 })
    assert.deepEqual(
      others.map(({ kind, id }) => ({ kind, id })),
      [{ kind: 'pipe', id: pipe.id }],
    )
  })

  test('work: many who claim at once never get the same item', async (t) => {
    const { store, peer } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    await Promise.all(Array.from({ length: 60 }, () => addService(store, organizationId)))
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => {
        const work = (n % 2 ? peer : store).work
        return work.claim({ owner: `owner-${n}`, kinds, limit: 5, leaseMs: 60_000 })
      }),
    )
    for (const claims of answers) assert.ok(claims.length <= 5)
    const rest = await store.work.claim({ owner: 'last', kinds, limit: 100, leaseMs: 60_000 })
    const ids = [...answers.flat(), ...rest].map(({ id }) => id)
    assert.equal(ids.length, 60)
    assert.equal(new Set(ids).size, 60)
  })

  test('work: settled items wait as long as they asked to, and keep what was learnt', async (t) => {
    const { store, until, execute } = await createRig(t)
    const { id } = await addItem(store)
    const claim = await claimOne(store, 'service', id)
    const next = { dueInMs: 400, attempts: 3, reason: 'no disk' }
    assert.equal(await store.work.settle(claim, next), 'settled')
    const waitMs = (await store.work.nextDueInMs(kinds)) ?? assert.fail()
    assert.ok(waitMs > 0 && waitMs <= 400, `${waitMs}`)
    assert.deepEqual(await execute(`select attempts, reason from work where kind = 'service'`), [
      { attempts: 3, reason: 'no disk' },
    ])
    let again: Claim | undefined
    await until('the item comes due', async () => {
      again ??= (await claimAll(store))[0]
      return again !== undefined
    })
    assert.deepEqual(again, { ...claim, epoch: 2, attempts: 3 })
    assert.equal(await store.work.settle(again ?? assert.fail(), rest), 'settled')
    assert.equal(await store.work.nextDueInMs(kinds), null)
    assert.deepEqual(await claimAll(store), [])
  })

  test('work: an intent during a run makes the item due again at once, whatever the run asked for', async (t) => {
    const { store } = await createRig(t)
    const service = await addItem(store)
    for (const next of [rest, { ...rest, dueInMs: 3_600_000, attempts: 7 }, { ...rest, gone: true }]) {
      const claim = await claimOne(store, 'service', service.id)
      await store.transaction((tx) => tx.services.saveIntent(service))
      assert.deepEqual(await claimAll(store), [], 'the run still has its lease')
      assert.equal(await store.work.settle(claim, next), 'superseded')
      assert.equal(await store.work.nextDueInMs(kinds), 0)
      const [fresh] = await claimAll(store)
      assert.deepEqual(fresh, { ...claim, epoch: claim.epoch + 1, generation: claim.generation + 1 })
      await store.work.release('a')
    }
  })

  test('work: an intent wakes an item at rest and ends its series of failures', async (t) => {
    const { store } = await createRig(t)
    const service = await addItem(store)
    for (const dueInMs of [null, 3_600_000]) {
      const claim = await claimOne(store, 'service', service.id)
      await store.work.settle(claim, { dueInMs, attempts: 5, reason: '' })
      assert.deepEqual(await claimAll(store), [])
      await store.transaction((tx) => tx.services.saveIntent(service))
      assert.equal(await store.work.nextDueInMs(kinds), 0)
      const fresh = await claimOne(store, 'service', service.id)
      assert.deepEqual([fresh.generation, fresh.attempts], [claim.generation + 1, 0])
      await store.work.release('a')
    }
  })

  test('work: what is gone leaves no item', async (t) => {
    const { store, execute } = await createRig(t)
    const { id } = await addItem(store)
    const claim = await claimOne(store, 'service', id)
    assert.equal(await store.work.settle(claim, { ...rest, gone: true }), 'settled')
    assert.deepEqual(await execute(`select * from work where kind = 'service'`), [])
    assert.equal(await store.work.settle(claim, { ...rest, gone: true }), 'lost')
  })

  test('work: only the holder of the newest lease can settle or renew', async (t) => {
    const { store, peer, until, execute } = await createRig(t)
    const { id } = await addItem(store)
    const old = await claimOne(store, 'service', id, { leaseMs: 100 })
    let taken: Claim | undefined
    await until('the lease runs out', async () => {
      taken ??= (await peer.work.claim({ owner: 'b', kinds, limit: 1, leaseMs: 60_000 }))[0]
      return taken !== undefined
    })
    const claim = taken ?? assert.fail()
    assert.equal(await store.work.settle(old, { ...rest, gone: true }), 'lost')
    assert.equal(await store.work.settle({ ...claim, owner: 'c' }, rest), 'lost')
    assert.deepEqual(await store.work.renew([old, claim, { ...claim, id: 'none' }], 60_000), [claim])
    assert.deepEqual(await execute(`select reason, lease_owner from work where kind = 'service'`), [
      { reason: '', lease_owner: 'b' },
    ])
    assert.equal(await peer.work.settle(claim, rest), 'settled')
    assert.deepEqual(await peer.work.renew([claim], 60_000), [])
  })

  test('work: a renewed lease lasts longer; the wait for it counts from its end', async (t) => {
    const { store } = await createRig(t)
    const { id } = await addItem(store)
    const claim = await claimOne(store, 'service', id, { leaseMs: 1_000 })
    const before = (await store.work.nextDueInMs(kinds)) ?? assert.fail()
    assert.ok(before > 0 && before <= 1_000, `${before}`)
    assert.deepEqual(await store.work.renew([claim], 60_000), [claim])
    const after = (await store.work.nextDueInMs(kinds)) ?? assert.fail()
    assert.ok(after > 50_000 && after <= 60_000, `${after}`)
    assert.equal(await store.work.nextDueInMs(['pipe']), null)
    assert.equal(await store.work.nextDueInMs([]), null)
  })

  test('work: of several items the next wait is the shortest', async (t) => {
    const { store } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = await addService(store, organizationId)
    const pipe = await addPipe(store, service)
    const settle = async (kind: string, id: string, dueInMs: number) =>
      store.work.settle(await claimOne(store, kind, id), { ...rest, dueInMs })
    await settle('service', service.id, 3_600_000)
    await settle('pipe', pipe.id, 60_000)
    const within = async (of: string[], fromMs: number, toMs: number) => {
      const waitMs = (await store.work.nextDueInMs(of)) ?? assert.fail()
      assert.ok(waitMs > fromMs && waitMs <= toMs, `${waitMs}`)
    }
    await within(kinds, 50_000, 60_000)
    await within(['service'], 3_500_000, 3_600_000)
  })

  test('work: what waits of a kind is hastened, what is at rest is not', async (t) => {
    const { store } = await createRig(t)
    const service = await addItem(store)
    const [later, resting] = [await addPipe(store, service), await addPipe(store, service)]
    for (const claim of await claimAll(store)) {
      await store.work.settle(claim, claim.id === resting.id ? rest : { ...rest, dueInMs: 60_000 })
    }
    assert.deepEqual(await claimAll(store), [])
    await store.work.hasten('pipe')
    assert.deepEqual(
      (await claimAll(store)).map(({ id }) => id),
      [later.id],
    )
  })

  test('work: release gives back the leases of one owner, releaseDead those of all the dead', async (t) => {
    const { store, peer } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    for (let n = 0; n < 4; n += 1) await addService(store, organizationId)
    const claims: Claim[] = []
    for (const owner of ['a', 'b', 'b', 'c']) {
      claims.push(...(await store.work.claim({ owner, kinds, limit: 1, leaseMs: 60_000 })))
    }
    await store.work.release('a')
    assert.deepEqual(
      (await claimAll(peer, 'd')).map(({ id }) => id),
      [claims[0]?.id],
    )
    const asked: string[] = []
    const released = await peer.releaseDead((owner) => {
      asked.push(owner)
      return owner === 'b'
    })
    assert.equal(released, 2)
    assert.deepEqual(asked.sort(), ['b', 'c', 'd'])
    const again = await claimAll(peer, 'd')
    assert.deepEqual(again.map(({ id }) => id).sort(), [claims[1]?.id, claims[2]?.id].sort())
    assert.deepEqual(
      again.map(({ epoch }) => epoch),
      [2, 2],
    )
    assert.equal(await store.releaseDead(() => false), 0)
    assert.equal(await store.work.settle(claims[1] ?? assert.fail(), rest), 'lost')
    assert.equal(await store.work.settle(claims[3] ?? assert.fail(), rest), 'settled')
  })
}

async function addItem(store: Store) {
  const { id: organizationId } = await addOrganization(store)
  return addService(store, organizationId)
}

const claimAll = (store: Store, owner = 'a') =>
  store.work.claim({ owner, kinds, limit: 1_000, leaseMs: 60_000 })
