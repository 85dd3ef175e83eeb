import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/lib/ids.ts'
import type { Page } from '../../src/store/store.ts'
import {
  activityOf,
  addOrganization,
  addPipe,
  addService,
  backupOf,
  dashboardOf,
  keyOf,
  pipeOf,
  pipeSecrets,
  startMs,
} from './store-records.ts'
import { type CreateRig, claimOne } from './store-rig.ts'

/** Every repository except that of services: records are read back, in order, by their owner only. */
export function testStoreRecords(createRig: CreateRig): void {
  test('meta keeps the first value, also of many that come at once', async (t) => {
    const { store, peer } = await createRig(t)
    assert.equal(await store.meta.get('name'), null)
    const writes = Array.from({ length: 12 }, (_, n) =>
      (n % 2 ? peer : store).meta.setOnce('name', `value ${n}`),
    )
    const answers = new Set(await Promise.all(writes))
    assert.equal(answers.size, 1)
    assert.deepEqual([...answers], [await store.meta.get('name')])
    assert.equal(await store.meta.setOnce('name', 'later'), [...answers][0])
  })

  test('organizations: ensured once, changed in part', async (t) => {
    const { store } = await createRig(t)
    const organization = await addOrganization(store)
    await store.organizations.ensure({ ...organization, name: 'Other' })
    assert.deepEqual(await store.organizations.get(organization.id), organization)
    await store.organizations.update(organization.id, {})
    await store.organizations.update(organization.id, { tier: 'BASIC', paid: false })
    const changed = { ...organization, tier: 'BASIC', paid: false }
    assert.deepEqual(await store.organizations.get(organization.id), changed)
    await store.organizations.update(organization.id, { name: 'Acme 2' })
    for (const lock of [undefined, 'share', 'update'] as const) {
      const read = await store.transaction((tx) => tx.organizations.get(organization.id, lock))
      assert.deepEqual(read, { ...changed, name: 'Acme 2' })
    }
    assert.equal(await store.organizations.get(newId()), null)
  })

  test('keys: all of them read back without the hash, which only the look-up has; counted once', async (t) => {
    const { store } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const later = keyOf(organizationId, {
      kind: 'dashboard',
      createdAtMs: startMs + 1,
      expireAtMs: startMs + 5,
    })
    const first = keyOf(organizationId)
    await store.keys.insert(later, { lookup: 'two', secretHash: 'hash-two' })
    await store.keys.insert(first, { lookup: 'one', secretHash: 'hash-one' })
    assert.deepEqual(await store.keys.list(organizationId), [first, later])
    assert.deepEqual(await store.keys.get(organizationId, later.id), later)
    assert.deepEqual(await store.keys.byLookup('two'), { ...later, secretHash: 'hash-two' })
    assert.equal(await store.keys.get(newId(), first.id), null)
    assert.equal(await store.keys.byLookup('three'), null)
    await assert.rejects(store.keys.insert(keyOf(organizationId), { lookup: 'one', secretHash: 'x' }))

    const changed = { ...first, name: 'renamed', state: 'disabled' as const, roles: [], expireAtMs: 9 }
    await store.keys.update(changed)
    await store.keys.setSecret(first.id, 'hash-new')
    await store.keys.touch(first.id, startMs + 60_000)
    const stored = { ...changed, usedAtMs: startMs + 60_000, secretHash: 'hash-new' }
    assert.deepEqual(await store.keys.byLookup('one'), stored)

    const count = async () => (await store.organizations.get(organizationId))?.keyCount
    assert.equal(await count(), 2)
    await store.keys.remove(first.id, organizationId)
    await store.keys.remove(first.id, organizationId)
    assert.equal(await store.keys.get(organizationId, first.id), null)
    assert.equal(await count(), 1)
  })

  test('pipes: a record never holds secrets; they come from secrets() alone', async (t) => {
    const { store, execute } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = await addService(store, organizationId)
    const pipe = await addPipe(store, service)
    assert.deepEqual(await store.pipes.get(service.id, pipe.id), pipe)
    assert.deepEqual(await store.pipes.find(pipe.id), pipe)
    assert.deepEqual(await store.pipes.list(service.id), [pipe])
    assert.equal(await store.pipes.get(newId(), pipe.id), null)
    assert.deepEqual(await store.pipes.secrets(pipe.id), pipeSecrets)
    await assert.rejects(store.pipes.secrets(newId()))

    const stopped = { ...pipe, spec: { ...pipe.spec, desired: 'stopped' as const }, updatedAtMs: startMs + 1 }
    const saved = await store.transaction((tx) => tx.pipes.saveIntent(stopped))
    assert.deepEqual(saved, { ...stopped, generation: 2 })
    assert.deepEqual(await store.pipes.find(pipe.id), saved)
    assert.deepEqual(await store.pipes.secrets(pipe.id), pipeSecrets)
    const credentials = { username: 'user', password: 'another-password' }
    await store.transaction((tx) => tx.pipes.saveIntent({ ...saved, deleting: true }, { credentials }))
    assert.deepEqual(await store.pipes.secrets(pipe.id), { credentials })
    assert.equal((await store.pipes.find(pipe.id))?.deleting, true)
    const [row] = await execute('select * from pipes')
    assert.doesNotMatch(JSON.stringify(row), /another-password|"pass"/)
    // Sealed for this pipe: the secret cannot be opened in the row of another pipe.
    const other = await addPipe(store, service)
    await execute(`update pipes set secrets = (select secrets from pipes where id = '${pipe.id}')`)
    await assert.rejects(store.pipes.secrets(other.id))

    const claim = await claimOne(store, 'pipe', pipe.id)
    assert.equal(await store.pipes.remove(pipe.id, { ...claim, epoch: claim.epoch + 1 }), false)
    assert.equal(await store.pipes.remove(pipe.id, claim), true)
    assert.equal(await store.pipes.find(pipe.id), null)
  })

  test('backups: newest first, changed under their claim', async (t) => {
    const { store } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = { id: newId(), organizationId }
    const backup = backupOf(service)
    const newer = backupOf(service, { startedAtMs: startMs + 1 })
    for (const record of [backup, newer]) await store.transaction((tx) => tx.backups.insert(record))
    assert.deepEqual(await store.backups.list(service.id), [newer, backup])
    assert.deepEqual(await store.backups.get(service.id, backup.id), backup)
    assert.deepEqual(await store.backups.find(backup.id), backup)
    assert.equal(await store.backups.get(newId(), backup.id), null)
    const claim = await claimOne(store, 'backup', backup.id)
    const done = { ...backup, status: 'done' as const, finishedAtMs: startMs + 9, sizeInBytes: 5 * 2 ** 40 }
    assert.equal(await store.backups.save(done, { ...claim, owner: 'b' }), false)
    assert.deepEqual(await store.backups.find(backup.id), backup)
    assert.equal((await store.backups.running(service.id))?.status, 'in_progress')
    assert.equal(await store.backups.save(done, claim), true)
    assert.deepEqual(await store.backups.find(backup.id), done)
  })

  test('dashboards: by name, of their organization', async (t) => {
    const { store } = await createRig(t)
    const { id: mine } = await addOrganization(store)
    const { id: theirs } = await addOrganization(store)
    const sales = dashboardOf()
    const ads = dashboardOf({ name: 'Ads', tags: [] })
    for (const dashboard of [sales, ads]) await store.dashboards.insert(mine, dashboard, startMs)
    assert.deepEqual(await store.dashboards.list(mine), [ads, sales])
    assert.deepEqual(await store.dashboards.list(theirs), [])
    assert.deepEqual(await store.dashboards.get(mine, sales.id), sales)
    assert.equal(await store.dashboards.get(theirs, sales.id), null)
    await store.dashboards.replace(theirs, { ...sales, name: 'Stolen' }, startMs + 1)
    await store.dashboards.replace(mine, { ...sales, name: 'A first' }, startMs + 1)
    assert.deepEqual(
      (await store.dashboards.list(mine)).map(({ name }) => name),
      ['A first', 'Ads'],
    )
    assert.equal(await store.dashboards.remove(theirs, sales.id), false)
    assert.equal(await store.dashboards.remove(mine, sales.id), true)
    assert.equal(await store.dashboards.remove(mine, sales.id), false)
  })

  test('activities: within a time range, both ends included', async (t) => {
    const { store } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const trail = [0, 1, 2, 3].map((n) =>
      activityOf(organizationId, { createdAtMs: startMs + n, serviceId: n === 0 ? null : newId() }),
    )
    for (const activity of trail) await store.activities.insert(activity)
    const range = { fromMs: startMs + 1, toMs: startMs + 2 }
    assert.deepEqual(await store.activities.list(organizationId, range), [trail[2], trail[1]])
    assert.deepEqual(await store.activities.list(newId(), {}), [])
    assert.deepEqual(await store.activities.get(organizationId, trail[0]?.id ?? ''), trail[0])
    assert.equal(await store.activities.get(newId(), trail[0]?.id ?? ''), null)
  })

  test('lists come in pages that together are the list, also where times are equal', async (t) => {
    const { store } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const atMs = (n: number) => startMs + Math.floor(n / 4)
    for (let n = 0; n < 11; n += 1) {
      await addService(store, organizationId, { createdAtMs: atMs(n) })
      await store.activities.insert(activityOf(organizationId, { createdAtMs: atMs(n) }))
    }
    const services = await store.services.list(organizationId)
    const service = services[0] ?? assert.fail()
    for (let n = 0; n < 11; n += 1) {
      await store.transaction((tx) => tx.pipes.insert(pipeOf(service, { createdAtMs: atMs(n) }), pipeSecrets))
      await store.transaction((tx) => tx.backups.insert(backupOf(service, { startedAtMs: atMs(n) })))
    }
    const lists: [
      string,
      (page?: Page) => Promise<object[]>,
      'createdAtMs' | 'startedAtMs',
      'asc' | 'desc',
    ][] = [
      ['services', (page) => store.services.list(organizationId, page), 'createdAtMs', 'asc'],
      ['pipes', (page) => store.pipes.list(service.id, page), 'createdAtMs', 'asc'],
      ['backups', (page) => store.backups.list(service.id, page), 'startedAtMs', 'desc'],
      ['activities', (page) => store.activities.list(organizationId, page ?? {}), 'createdAtMs', 'desc'],
    ]
    for (const [name, list, time, order] of lists) {
      type Row = { id: string } & Record<typeof time, number>
      const whole = (await list()) as Row[]
      const key = (row: Row) => `${row[time]} ${row.id}`
      const sorted = [...whole].sort((a, b) => (key(a) < key(b) ? -1 : 1))
      assert.deepEqual(whole, order === 'asc' ? sorted : sorted.reverse(), name)
      assert.equal(whole.length, 11, name)
      for (const limit of [1, 3, 11, 20]) {
        const read: Row[] = []
        for (let page: Page = { limit }; ; ) {
          const rows = (await list(page)) as Row[]
          assert.ok(rows.length <= limit)
          read.push(...rows)
          const last = rows.at(-1)
          if (!last) break
          page = { limit, after: { atMs: last[time], id: last.id } }
        }
        assert.deepEqual(read, whole, `${name} by ${limit}`)
      }
    }
  })
}
