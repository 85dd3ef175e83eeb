import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testStore } from '../../../test/support/store-contract.ts'
import { userOf } from '../../../test/support/store-contract-users.ts'
import { addOrganization, addService, dashboardOf, keyOf } from '../../../test/support/store-records.ts'
import { createPostgresRig } from '../../../test/support/store-rig.ts'
import type { StoreChange } from '../store.ts'

testStore(createPostgresRig)

const endConnections = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

test('postgres: a control plane hears of the intents of others, until it no longer wants to', async (t) => {
  const { store, peer, until } = await createPostgresRig(t)
  let heard = 0
  const stop = peer.onIntent(() => {
    heard += 1
  })
  t.after(stop)
  await until('it listens', () => heard === 1)
  const { id: organizationId } = await addOrganization(store)
  const service = await addService(store, organizationId)
  await until('it hears', () => heard === 2)
  const failing = store.transaction(async (tx) => {
    await tx.services.saveIntent(service)
    throw new Error('second thoughts')
  })
  await assert.rejects(failing, /second thoughts/)
  await store.transaction((tx) => tx.services.saveIntent(service))
  await until('it hears again', () => heard === 3)
  stop()
  const still = store.onIntent(() => {
    heard += 100
  })
  t.after(still)
  await until('another listens', () => heard === 103)
  await store.transaction((tx) => tx.services.saveIntent(service))
  await until('only the other hears', () => heard === 203)
  still()
})

test('postgres: a control plane hears that a key was changed or removed', async (t) => {
  const { store, peer, until } = await createPostgresRig(t)
  const { id: organizationId } = await addOrganization(store)
  const key = keyOf(organizationId)
  await store.keys.insert(key, { lookup: 'one', secretHash: 'hash' })
  let heard = 0
  const stop = peer.onIntent(() => {
    heard += 1
  })
  t.after(stop)
  await until('it listens', () => heard === 1)
  await store.transaction((tx) => tx.keys.update({ ...key, state: 'disabled' }))
  await until('it hears of the change', () => heard === 2)
  await store.transaction((tx) => tx.keys.setSecret(key.id, 'other'))
  await until('it hears of the secret', () => heard === 3)
  await store.transaction((tx) => tx.keys.remove(key.id, organizationId))
  await until('it hears of the end', () => heard === 4)
  stop()
})

test('postgres: a control plane hears that a user or a password of a service changed', async (t) => {
  const { store, peer, until } = await createPostgresRig(t)
  const { id: organizationId } = await addOrganization(store)
  const service = await addService(store, organizationId)
  let heard = 0
  const changes: (StoreChange | null)[] = []
  const stop = peer.onIntent((change) => {
    heard += 1
    changes.push(change)
  })
  t.after(stop)
  await until('it listens', () => heard === 1)
  const user = userOf(service.id)
  await store.transaction((tx) => tx.serviceUsers.insert(user, 'hash'))
  await until('it hears of a new user', () => heard === 2)
  await store.transaction((tx) => tx.serviceUsers.update(user, 'other'))
  await until('it hears of the change', () => heard === 3)
  await store.transaction((tx) => tx.serviceUsers.remove(service.id, user.id))
  await until('it hears of the end', () => heard === 4)
  await store.transaction((tx) => tx.services.setPassword(service.id, 'hash', 1))
  await until('it hears of the password of the service', () => heard === 5)
  const login = { kind: 'login', id: service.id }
  assert.deepEqual(changes, [null, login, login, login, login])
  await store.transaction((tx) => tx.services.saveIntent(service))
  await until('it hears of an intent', () => heard === 6)
  assert.deepEqual(changes.at(-1), { kind: 'intent', id: service.id })
  stop()
})

test('postgres: who listens is connected again after the connection was lost', async (t) => {
  const { store, peer, until, execute } = await createPostgresRig(t)
  const { id: organizationId } = await addOrganization(store)
  let heard = 0
  const stop = peer.onIntent(() => {
    heard += 1
  })
  t.after(stop)
  await until('it listens', () => heard === 1)
  await execute(endConnections)
  // A reconnect counts as a change, because a notification may have been missed.
  await until('it listens again', () => heard === 2)
  await addService(store, organizationId)
  await until('it hears', () => heard === 3)
  stop()
})

test('postgres: a transaction whose connection is lost fails as such, and the store goes on', async (t) => {
  const { store, execute } = await createPostgresRig(t)
  const { id: organizationId } = await addOrganization(store)
  const dashboard = dashboardOf()
  const cut = store.transaction(async (tx) => {
    await tx.dashboards.insert(organizationId, dashboard, 0)
    await execute(endConnections)
    await tx.dashboards.replace(organizationId, { ...dashboard, name: 'Later' }, 0)
  })
  await assert.rejects(cut, (error: Error & { code?: string }) => {
    const isKnown = error.code === '57P01' || /connection terminated/i.test(error.message)
    assert.ok(isKnown, `${error.code} ${error.message}`)
    return true
  })
  assert.deepEqual(await store.dashboards.list(organizationId), [])
  await store.dashboards.insert(organizationId, dashboard, 0)
  assert.deepEqual(await store.dashboards.list(organizationId), [dashboard])
})

test('postgres: a connection lost between two steps of a transaction does not end the process', async (t) => {
  const { store, execute, until } = await createPostgresRig(t)
  const { id: organizationId } = await addOrganization(store)
  const cut = store.transaction(async (tx) => {
    await tx.dashboards.insert(organizationId, dashboardOf(), 0)
    await execute(endConnections)
    // No query is running on that connection when it is closed.
    await until('no connection is left', async () => {
      const others = `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
      return (await execute(others)).length === 0
    })
    await execute('select 1')
  })
  await assert.rejects(cut, /connection terminated/i)
  assert.deepEqual(await store.dashboards.list(organizationId), [])
})

test('postgres: a statement that waits too long ends with an error instead of hanging its request', async (t) => {
  const { store, open } = await createPostgresRig(t)
  const { id } = await addOrganization(store)
  const impatient = await open({ statementTimeoutMs: 100 })
  await store.transaction(async (tx) => {
    await tx.organizations.get(id, 'update')
    const waiting = impatient.transaction((other) => other.organizations.get(id, 'update'))
    await assert.rejects(waiting, { code: '57014' })
  })
  assert.equal((await impatient.organizations.get(id))?.id, id)
})
