import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServiceUserRecord } from '../../src/domain/service/user.ts'
import { newId } from '../../src/lib/ids.ts'
import { addOrganization, addService, startMs } from './store-records.ts'
import { type CreateRig, claimOne, type StoreRig } from './store-rig.ts'

/** Users of services: read back by their service only, with the hash where a password is checked, gone with it. */
export function testStoreUsers(createRig: CreateRig): void {
  test('users: read back by their service, oldest first, the hash by name alone', async (t) => {
    const { store } = await createRig(t)
    const [mine, theirs] = await addServices(store)
    const later = userOf(mine, { name: 'etl', role: 'readOnly', createdAtMs: startMs + 1 })
    const first = userOf(mine, { name: 'grafana' })
    await store.transaction((tx) => tx.serviceUsers.insert(later, 'hash of etl'))
    await store.transaction((tx) => tx.serviceUsers.insert(first, 'hash of grafana'))
    assert.deepEqual(await store.serviceUsers.list(mine), [first, later])
    assert.deepEqual(await store.serviceUsers.find(mine, later.id), later)
    assert.equal(await store.serviceUsers.count(mine), 2)
    const stored = { ...later, passwordHash: 'hash of etl' }
    assert.deepEqual(await store.serviceUsers.findByName(mine, 'etl'), stored)
    assert.deepEqual(await store.transaction((tx) => tx.serviceUsers.findByName(mine, 'etl')), stored)

    assert.deepEqual(await store.serviceUsers.list(theirs), [])
    assert.equal(await store.serviceUsers.find(theirs, later.id), null)
    assert.equal(await store.serviceUsers.findByName(theirs, 'etl'), null)
    assert.equal(await store.serviceUsers.count(theirs), 0)
    for (const name of ['ETL', 'etl ', 'et', 'et_', '%', ''])
      assert.equal(await store.serviceUsers.findByName(mine, name), null, name)
  })

  test('users: a name is taken once in a service, also by two at once; other services have their own', async (t) => {
    const { store, peer } = await createRig(t)
    const [mine, theirs] = await addServices(store)
    const insert = (on: StoreRig['store'], user: ServiceUserRecord) =>
      on.transaction((tx) => tx.serviceUsers.insert(user, 'hash'))
    const ends = await Promise.allSettled([
      insert(store, userOf(mine, { name: 'etl' })),
      insert(peer, userOf(mine, { name: 'etl' })),
    ])
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    await insert(store, userOf(mine, { name: 'Etl' }))
    await insert(store, userOf(theirs, { name: 'etl' }))
    assert.equal(await store.serviceUsers.count(mine), 2)
    await assert.rejects(insert(store, userOf(newId())), /foreign key/i)
  })

  test('users: role and password change apart, and of one user only', async (t) => {
    const { store } = await createRig(t)
    const [mine] = await addServices(store)
    const user = userOf(mine, { name: 'etl' })
    const other = userOf(mine, { name: 'other' })
    for (const each of [user, other])
      await store.transaction((tx) => tx.serviceUsers.insert(each, `hash of ${each.name}`))
    const reader = { ...user, role: 'readOnly' as const, updatedAtMs: startMs + 5 }
    await store.transaction((tx) => tx.serviceUsers.update(reader))
    assert.deepEqual(await store.serviceUsers.findByName(mine, 'etl'), {
      ...reader,
      passwordHash: 'hash of etl',
    })
    await store.transaction((tx) => tx.serviceUsers.update(reader, 'another hash'))
    assert.deepEqual(await store.serviceUsers.findByName(mine, 'etl'), {
      ...reader,
      passwordHash: 'another hash',
    })
    assert.deepEqual(await store.serviceUsers.findByName(mine, 'other'), {
      ...other,
      passwordHash: 'hash of other',
    })
  })

  test('users: removed by their service only; a rolled-back change never was', async (t) => {
    const { store } = await createRig(t)
    const [mine, theirs] = await addServices(store)
    const user = userOf(mine)
    await store.transaction((tx) => tx.serviceUsers.insert(user, 'hash'))
    const failing = store.transaction(async (tx) => {
      await tx.serviceUsers.remove(mine, user.id)
      assert.equal(await tx.serviceUsers.count(mine), 0)
      throw new Error('second thoughts')
    })
    await assert.rejects(failing, /second thoughts/)
    await store.transaction((tx) => tx.serviceUsers.remove(theirs, user.id))
    assert.deepEqual(await store.serviceUsers.list(mine), [user])
    await store.transaction((tx) => tx.serviceUsers.remove(mine, user.id))
    assert.deepEqual(await store.serviceUsers.list(mine), [])
  })

  test('users: a removed service takes its users along, and no others', async (t) => {
    const { store, execute } = await createRig(t)
    const [mine, theirs] = await addServices(store)
    const kept = userOf(theirs)
    for (const user of [userOf(mine), userOf(mine), kept])
      await store.transaction((tx) => tx.serviceUsers.insert(user, 'hash'))
    const service = (await store.services.find(mine)) ?? assert.fail()
    const claim = await claimOne(store, 'service', mine)
    assert.equal(await store.transaction((tx) => tx.services.remove(service, claim)), true)
    const rows = await execute('select id from service_users')
    assert.deepEqual(
      rows.map(({ id }) => id),
      [kept.id],
    )
  })
}

async function addServices(store: StoreRig['store']): Promise<[string, string]> {
  const { id: organizationId } = await addOrganization(store)
  const mine = await addService(store, organizationId)
  const theirs = await addService(store, organizationId)
  return [mine.id, theirs.id]
}

export function userOf(serviceId: string, over: Partial<ServiceUserRecord> = {}): ServiceUserRecord {
  const id = newId()
  const plain = { id, serviceId, name: `user_${id}`, role: 'readWrite' as const }
  return { ...plain, createdAtMs: startMs, updatedAtMs: startMs, ...over }
}
