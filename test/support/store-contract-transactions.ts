import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/lib/ids.ts'
import {
  activityOf,
  addOrganization,
  addService,
  backupOf,
  dashboardOf,
  keyOf,
  pipeOf,
  pipeSecrets,
  serviceOf,
} from './store-records.ts'
import { type CreateRig, claimOne } from './store-rig.ts'

/** Transactions: all or nothing, and transactions on the same row take turns. */
export function testStoreTransactions(createRig: CreateRig): void {
  test('a transaction that throws leaves nothing behind, not even counts, ports or work', async (t) => {
    const { store } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = serviceOf(organizationId)
    const failing = store.transaction(async (tx) => {
      const stored = await tx.services.insert(service, 'hash')
      assert.deepEqual(await tx.services.find(service.id), stored)
      await tx.pipes.insert(pipeOf(service), pipeSecrets)
      await tx.backups.insert(backupOf(service))
      await tx.keys.insert(keyOf(organizationId), { lookup: 'one', secretHash: 'hash' })
      await tx.dashboards.insert(organizationId, dashboardOf(), 0)
      await tx.activities.insert(activityOf(organizationId))
      await tx.meta.setOnce('name', 'value')
      throw new Error('second thoughts')
    })
    await assert.rejects(failing, /second thoughts/)
    assert.deepEqual(await store.services.list(organizationId), [])
    assert.deepEqual(await store.pipes.list(service.id), [])
    assert.deepEqual(await store.backups.list(service.id), [])
    assert.deepEqual(await store.keys.list(organizationId), [])
    assert.deepEqual(await store.dashboards.list(organizationId), [])
    assert.deepEqual(await store.activities.list(organizationId, {}), [])
    assert.equal(await store.meta.get('name'), null)
    const organization = await store.organizations.get(organizationId)
    assert.deepEqual([organization?.serviceCount, organization?.keyCount], [0, 0])
    assert.equal(await store.work.nextDueInMs(['service', 'pipe', 'backup']), null)
    assert.equal((await addService(store, organizationId)).endpointPort, 20_000)
  })

  test('what the database refuses fails the transaction with that error, and the next one works', async (t) => {
    const { store } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const dashboard = dashboardOf()
    const twice = store.transaction(async (tx) => {
      await tx.dashboards.insert(organizationId, dashboard, 0)
      await tx.dashboards.insert(organizationId, dashboard, 0)
    })
    await assert.rejects(twice, /unique/i)
    await assert.rejects(
      store.dashboards.insert(newId(), dashboard, 0),
      /foreign key/i,
      'of an unknown organization',
    )
    assert.deepEqual(await store.dashboards.list(organizationId), [])
    await store.transaction((tx) => tx.dashboards.insert(organizationId, dashboard, 0))
    assert.deepEqual(await store.dashboards.list(organizationId), [dashboard])
  })

  test('changes of one service at once are all applied, in some order, each with its generation', async (t) => {
    const { store, peer } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const { id } = await addService(store, organizationId)
    const changes = Array.from({ length: 24 }, (_, n) =>
      (n % 2 ? peer : store).transaction(async (tx) => {
        const service = await tx.services.get(organizationId, id)
        assert.ok(service)
        const tags = [...service.spec.tags, { key: `tag-${n}`, value: '' }]
        return tx.services.saveIntent({ ...service, spec: { ...service.spec, tags } })
      }),
    )
    const saved = await Promise.all(changes)
    const generations = saved.map(({ generation }) => generation).sort((a, b) => a - b)
    assert.deepEqual(
      generations,
      Array.from({ length: 24 }, (_, n) => n + 2),
    )
    const last = await store.services.find(id)
    assert.equal(last?.generation, 25)
    assert.equal(new Set(last?.spec.tags.map(({ key }) => key)).size, 24)
    // The queue counts generations too: a run that began before the last intent is stale.
    assert.equal((await claimOne(store, 'service', id)).generation, 25)
  })

  test('changes of different parts of one key, pipe or dashboard at once all last', async (t) => {
    const { store, peer } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = await addService(store, organizationId)
    const key = keyOf(organizationId)
    const pipe = pipeOf(service)
    const dashboard = dashboardOf()
    await store.keys.insert(key, { lookup: 'one', secretHash: 'hash' })
    await store.pipes.insert(pipe, pipeSecrets)
    await store.dashboards.insert(organizationId, dashboard, 0)
    const names = Array.from({ length: 10 }, (_, n) => `name-${n}`)
    await Promise.all(
      names.map((name, n) =>
        (n % 2 ? peer : store).transaction(async (tx) => {
          const current = (await tx.keys.get(organizationId, key.id)) ?? assert.fail()
          const entry = { source: '127.0.0.1', description: name }
          await tx.keys.update({ ...current, ipAccessList: [...current.ipAccessList, entry] })
          const own = (await tx.pipes.get(service.id, pipe.id)) ?? assert.fail()
          await tx.pipes.saveIntent({ ...own, spec: { ...own.spec, name: `${own.spec.name} ${name}` } })
          const board = (await tx.dashboards.get(organizationId, dashboard.id)) ?? assert.fail()
          await tx.dashboards.replace(organizationId, { ...board, tags: [...board.tags, name] }, 0)
        }),
      ),
    )
    const entries = (await store.keys.get(organizationId, key.id))?.ipAccessList
    assert.equal(entries?.length, key.ipAccessList.length + names.length)
    const words = (await store.pipes.find(pipe.id))?.spec.name.split(' ')
    assert.equal(words?.length, 1 + names.length)
    const tags = (await store.dashboards.get(organizationId, dashboard.id))?.tags
    assert.equal(tags?.length, dashboard.tags.length + names.length)
  })

  test('counts stay right when many come and go at once', async (t) => {
    const { store, peer } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const stores = Array.from({ length: 20 }, (_, n) => (n % 2 ? peer : store))
    const services = await Promise.all(stores.map((each) => addService(each, organizationId)))
    const keys = await Promise.all(
      stores.map(async (each, n) => {
        const key = keyOf(organizationId)
        await each.transaction((tx) => tx.keys.insert(key, { lookup: `key-${n}`, secretHash: 'hash' }))
        return key
      }),
    )
    const claims = await store.work.claim({ owner: 'a', kinds: ['service'], limit: 5, leaseMs: 60_000 })
    const gone = services.filter(({ id }) => claims.some((claim) => claim.id === id))
    await Promise.all([
      ...gone.map((service) => {
        const claim = claims.find(({ id }) => id === service.id) ?? assert.fail()
        return peer.transaction((tx) => tx.services.remove(service, claim))
      }),
      // Each key is removed twice at once.
      ...[...keys.slice(0, 7), ...keys.slice(0, 7)].map((key, n) =>
        (n % 2 ? peer : store).transaction((tx) => tx.keys.remove(key.id, organizationId)),
      ),
      addService(store, organizationId),
    ])
    const organization = await store.organizations.get(organizationId)
    assert.equal(organization?.serviceCount, (await store.services.list(organizationId)).length)
    assert.equal(organization?.keyCount, (await store.keys.list(organizationId)).length)
    assert.deepEqual([organization?.serviceCount, organization?.keyCount], [16, 13])
  })

  test('nobody waits in a circle: services join a warehouse while others of it are removed', async (t) => {
    const { store, peer } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    for (let round = 0; round < 10; round += 1) {
      const primary = await addService(store, organizationId)
      const claim = await claimOne(store, 'service', primary.id)
      await Promise.all([
        peer.transaction(async (tx) => {
          await tx.organizations.get(organizationId, 'update')
          await tx.services.primaryOf(organizationId, primary.warehouseId)
          await tx.services.insert(serviceOf(organizationId), 'hash')
        }),
        store.transaction((tx) => tx.services.remove(primary, claim)),
        peer.transaction(async (tx) => {
          await tx.organizations.get(organizationId, 'share')
          const service = await tx.services.get(organizationId, primary.id)
          if (service) await tx.services.saveIntent(service)
        }),
      ])
    }
  })

  test('reads do not wait for a transaction that is open, and do not see into it', async (t) => {
    const { store, peer } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = await addService(store, organizationId)
    const changed = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const open = store.transaction(async (tx) => {
      await tx.services.saveIntent({ ...service, spec: { ...service.spec, name: 'renamed' } })
      changed.resolve()
      await held.promise
    })
    await changed.promise
    try {
      for (const each of [store, peer]) {
        assert.equal((await each.services.get(organizationId, service.id))?.spec.name, 'orders')
        assert.equal((await each.services.list(organizationId)).length, 1)
      }
    } finally {
      held.resolve()
      await open
    }
    for (const each of [store, peer]) {
      assert.equal((await each.services.get(organizationId, service.id))?.spec.name, 'renamed')
    }
  })
}
