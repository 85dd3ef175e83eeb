import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackupRecord } from '../../src/domain/backup/types.ts'
import { newId } from '../../src/lib/ids.ts'
import type { Store } from '../../src/store/store.ts'
import { addOrganization, addService, backupOf, startMs } from './store-records.ts'
import { type CreateRig, claimOne } from './store-rig.ts'

/** Backups: the guarantees that their loops rely on. */
export function testStoreBackups(createRig: CreateRig): void {
  test('backups: of many who begin one at once, one does', async (t) => {
    const { store, peer } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = await addService(store, organizationId)
    const begin = (on: Store) =>
      on.transaction(async (tx) => {
        await tx.organizations.get(organizationId, 'share')
        await tx.services.get(organizationId, service.id)
        if (await tx.backups.running(service.id)) return false
        await tx.backups.insert(backupOf(service))
        return true
      })
    const began = await Promise.all(Array.from({ length: 10 }, (_, n) => begin(n % 2 ? peer : store)))
    assert.deepEqual(began.filter(Boolean), [true])
    const [running] = await store.backups.list(service.id)
    assert.deepEqual(await peer.backups.running(service.id), running)
    assert.equal(await store.backups.running(newId()), null)
  })

  test('backups: one that ends makes the schedule due, and one that failed is due itself until it is gone', async (t) => {
    const { store, execute } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = await addService(store, organizationId)
    const backup = backupOf(service)
    await store.transaction((tx) => tx.backups.insert(backup))
    const schedule = await claimOne(store, 'backup_schedule', service.id)
    await store.work.settle(schedule, { dueInMs: null, attempts: 0, reason: '' })
    const claim = await claimOne(store, 'backup', backup.id)
    assert.equal(await store.backups.save({ ...backup, reason: 'half of it' }, claim), true)
    assert.equal(await store.work.nextDueInMs(['backup_schedule']), null, 'progress is no end')
    const failed = { ...backup, status: 'error' as const, finishedAtMs: startMs + 5 }
    assert.equal(await store.backups.save(failed, claim), true)
    assert.equal(await store.work.nextDueInMs(['backup_schedule']), 0)
    assert.equal(await store.backups.running(service.id), null)
    assert.equal(await store.backups.save(backup, claim), false, 'written after something newer')
    assert.equal(await store.work.settle(claim, { dueInMs: null, attempts: 0, reason: '' }), 'superseded')
    const again = await claimOne(store, 'backup', backup.id)
    assert.equal(await store.backups.remove(backup.id, claim), false)
    assert.equal(await store.backups.remove(backup.id, again), true)
    assert.equal(await store.backups.find(backup.id), null)
    assert.deepEqual(await execute('select * from backups'), [])
  })

  test('backups: what is wanted of one overtakes what its loop finds', async (t) => {
    const { store } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = await addService(store, organizationId)
    const backup = backupOf(service, { status: 'done', finishedAtMs: startMs })
    await store.transaction((tx) => tx.backups.insert(backup))
    const claim = await claimOne(store, 'backup', backup.id)
    const asked = { ...backup, verification: { ...backup.verification, status: 'in_progress' as const } }
    await store.transaction((tx) => tx.backups.saveIntent(asked))
    assert.equal(await store.backups.save(backup, claim), false)
    assert.deepEqual(await store.backups.find(backup.id), asked)
  })

  test('backups: the newest good one was read back whole, and is found beside others', async (t) => {
    const { store } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = await addService(store, organizationId)
    const newest = async () => (await store.backups.newestGood(service.id))?.id
    const add = async (second: number, verification: string, over: Partial<BackupRecord> = {}) => {
      const checkedAtMs = verification === 'none' ? null : startMs
      const backup = backupOf(service, {
        status: 'done',
        startedAtMs: startMs + second * 1000,
        verification: { status: verification, checkedAtMs, reason: '' } as BackupRecord['verification'],
        ...over,
      })
      await store.transaction((tx) => tx.backups.insert(backup))
      return backup.id
    }
    assert.equal(await newest(), undefined)
    await add(1, 'none')
    assert.equal(await newest(), undefined)
    const first = await add(2, 'good')
    await add(3, 'damaged', { damaged: true })
    await add(4, 'good', { status: 'error' })
    await add(5, 'in_progress', { damaged: true })
    await add(6, 'none')
    assert.equal(await newest(), first)
    const readAgain = await add(7, 'in_progress')
    assert.equal(await newest(), readAgain)
    assert.equal(await store.backups.newestGood(newId()), null)
  })

  test('backups: the schedule of a warehouse has an item from its first service to its end', async (t) => {
    const { store, execute } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = await addService(store, organizationId)
    await addService(store, organizationId, { isPrimary: false, warehouseId: service.warehouseId })
    const items = async () =>
      (await execute(`select id from work where kind = 'backup_schedule'`)).map(({ id }) => id)
    assert.deepEqual(await items(), [service.id])
    const schedule = await claimOne(store, 'backup_schedule', service.id)
    await store.work.settle(schedule, { dueInMs: null, attempts: 0, reason: '' })
    const daily = { backupPeriodInHours: 24, backupRetentionPeriodInHours: 24, backupStartTime: '' }
    await store.services.saveBackupConfiguration(service.id, daily)
    assert.equal(await store.work.nextDueInMs(['backup_schedule']), 0)
    const claim = await claimOne(store, 'service', service.id)
    await store.transaction((tx) => tx.services.remove(service, claim))
    assert.deepEqual(await items(), [])
  })

  test('backups: in use while a service is still to be filled from one, and is not given up', async (t) => {
    const { store } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const { spec, status } = await addService(store, organizationId)
    const [used, other] = [newId(), newId()]
    const restoring = () => store.services.restoring([used, other])
    assert.deepEqual(await restoring(), [])
    assert.deepEqual(await store.services.restoring([]), [])
    const filled = await addService(store, organizationId, { spec: { ...spec, restoredFrom: used } })
    await addService(store, organizationId, { spec: { ...spec, restoredFrom: newId() } })
    assert.deepEqual(await restoring(), [used])
    const claim = await claimOne(store, 'service', filled.id)
    await store.services.saveStatus(filled, { ...status, state: 'failed' }, claim)
    assert.deepEqual(await restoring(), [])
    await store.services.saveStatus(filled, status, claim)
    assert.deepEqual(await restoring(), [used])
    await store.services.saveStatus(filled, { ...status, provisioned: true }, claim)
    assert.deepEqual(await restoring(), [])
  })

  test('backups: a store from before they were made is brought up to date', async (t) => {
    const { store, execute, open } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const source = await addService(store, organizationId)
    const done = backupOf(source, { status: 'done', finishedAtMs: startMs })
    const running = backupOf(source, { startedAtMs: startMs + 1 })
    for (const each of [done, running]) await store.transaction((tx) => tx.backups.insert(each))
    const spec = { ...source.spec, restoredFrom: done.id }
    const restored = await addService(store, organizationId, { spec })
    for (const statement of [
      'drop index backups_running',
      'drop index services_restored',
      'alter table backups drop column status',
      'alter table services drop column restored_from',
      `delete from work where kind = 'backup_schedule'`,
      `delete from migrations where name = '0005-backup-loops'`,
    ])
      await execute(statement)
    for (const { id } of [done, running])
      await execute(`update backups set doc = '${oldDocument(id === done.id)}' where id = '${id}'`)

    const opened = await open()
    assert.deepEqual(await opened.backups.find(done.id), { ...done, reason: '', sizeInBytes: 7 })
    assert.equal((await opened.backups.running(source.id))?.id, running.id)
    assert.deepEqual(await opened.services.restoring([done.id]), [done.id])
    for (const { id } of [source, restored]) {
      const claim = await claimOne(opened, 'backup_schedule', id)
      await opened.work.settle(claim, { dueInMs: 0, attempts: 0, reason: '' })
    }
  })
}

/** A document from before backups were implemented. */
const oldDocument = (isDone: boolean): string =>
  JSON.stringify({
    finishedAtMs: isDone ? startMs : null,
    status: isDone ? 'done' : 'in_progress',
    type: 'full',
    reason: '',
    sizeInBytes: 7,
    backupName: '',
    bucket: { bucketPath: '', iamRoleArn: '', iamRoleSessionName: '' },
  })
