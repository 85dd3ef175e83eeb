import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/lib/ids.ts'
import { addOrganization, addPipe, addService, startMs } from './store-records.ts'
import { type CreateRig, claimOne } from './store-rig.ts'

/** Services: records are read back, counted, and follow their warehouse. */
export function testStoreServices(createRig: CreateRig): void {
  test('services: read back by their organization, changed as a whole, one generation each', async (t) => {
    const { store, execute } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = await addService(store, organizationId)
    assert.deepEqual(await store.services.get(organizationId, service.id), service)
    assert.deepEqual(await store.services.find(service.id), service)
    assert.deepEqual(await store.services.list(organizationId), [service])
    assert.equal(await store.services.get(newId(), service.id), null)
    assert.equal(await store.services.find(newId()), null)

    const wanted = {
      ...service,
      spec: { ...service.spec, name: 'renamed', tags: [{ key: 'team', value: 'data' }] },
      status: { ...service.status, reason: 'asked for' },
      updatedAtMs: startMs + 5,
    }
    const saved = await store.transaction((tx) => tx.services.saveIntent(wanted))
    assert.deepEqual(saved, { ...wanted, generation: 2 })
    assert.deepEqual(await store.services.find(service.id), saved)

    await store.services.setPassword(service.id, 'hash of a new one', startMs + 6)
    assert.deepEqual(await store.services.find(service.id), { ...saved, updatedAtMs: startMs + 6 })
    const [row] = await execute('select password_hash from services')
    assert.equal(row?.['password_hash'], 'hash of a new one')
  })

  test('services: the data plane that holds one is stored under the name that older versions read', async (t) => {
    const { store, execute } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = await addService(store, organizationId)
    const held = { ...service, status: { ...service.status, dataPlaneId: 'here' } }
    const saved = await store.transaction((tx) => tx.services.saveIntent(held))
    const claim = await claimOne(store, 'service', service.id)
    assert.ok(await store.services.saveStatus(saved, { ...saved.status, reason: 'seen' }, claim))
    assert.equal((await store.services.find(service.id))?.status.dataPlaneId, 'here')
    assert.equal((await store.services.endpoints())[0]?.dataPlaneId, 'here')
    const [row] = await execute('select status from services')
    const status = JSON.parse(String(row?.['status']))
    assert.deepEqual([status.home, status.dataPlaneId], ['here', undefined])
  })

  test('services: the primary of a warehouse and those beside it', async (t) => {
    const { store } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const primary = await addService(store, organizationId)
    const { warehouseId } = primary
    const read = async () => [
      (await store.services.primaryOf(organizationId, warehouseId))?.id,
      await store.services.hasSecondaries(warehouseId),
      await store.services.sharedWarehouses(organizationId),
    ]
    assert.deepEqual(await read(), [primary.id, false, []])
    await addService(store, organizationId, { warehouseId, isPrimary: false })
    await addService(store, organizationId)
    assert.deepEqual(await read(), [primary.id, true, [warehouseId]])
    assert.equal(await store.services.primaryOf(newId(), warehouseId), null)
    assert.equal(await store.services.primaryOf(organizationId, newId()), null)
  })

  test('services: the backup configuration is replaced, and none is none', async (t) => {
    const { store } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = await addService(store, organizationId)
    assert.equal(await store.services.backupConfiguration(service.id), null)
    const first = { backupPeriodInHours: 24, backupRetentionPeriodInHours: 48, backupStartTime: '03:00' }
    const second = { ...first, backupPeriodInHours: 6, backupStartTime: '' }
    for (const configuration of [first, second]) {
      await store.services.saveBackupConfiguration(service.id, configuration)
      assert.deepEqual(await store.services.backupConfiguration(service.id), configuration)
    }
  })

  test('a removed service takes its pipes and its configuration along, and is no longer counted', async (t) => {
    const { store, execute } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = await addService(store, organizationId)
    const kept = await addService(store, organizationId)
    const pipe = await addPipe(store, service)
    const other = await addPipe(store, kept)
    const configuration = {
      backupPeriodInHours: 6,
      backupRetentionPeriodInHours: 24,
      backupStartTime: '',
    }
    await store.services.saveBackupConfiguration(service.id, configuration)
    // The pipe is at rest: it would not become due by itself.
    const resting = await claimOne(store, 'pipe', pipe.id)
    await store.work.settle(resting, { dueInMs: null, attempts: 0, reason: '' })
    assert.equal((await store.organizations.get(organizationId))?.serviceCount, 2)

    const claim = await claimOne(store, 'service', service.id)
    assert.equal(await store.transaction((tx) => tx.services.remove(service, claim)), true)
    assert.equal(await store.services.find(service.id), null)
    assert.equal(await store.pipes.find(pipe.id), null)
    assert.deepEqual(await store.services.list(organizationId), [kept])
    assert.deepEqual(await store.pipes.find(other.id), other)
    assert.deepEqual(await execute('select * from backup_configurations'), [])
    assert.equal((await store.organizations.get(organizationId))?.serviceCount, 1)
    // The pipe becomes due, so that its loop ends what runs and drops the item.
    assert.equal((await claimOne(store, 'pipe', pipe.id)).id, pipe.id)
    assert.equal(await store.transaction((tx) => tx.services.remove(service, claim)), false)
    assert.equal((await store.organizations.get(organizationId))?.serviceCount, 1)
  })
}
