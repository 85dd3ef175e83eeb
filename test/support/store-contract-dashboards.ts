import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addOrganization, addService, dashboardOf, sourceOf, startMs } from './store-records.ts'
import { type CreateRig, claimOne } from './store-rig.ts'

/** Versions of dashboards, and sources. */
export function testStoreDashboards(createRig: CreateRig): void {
  test('dashboards: every save is a version, the last 50 stay, and go with the dashboard', async (t) => {
    const { store } = await createRig(t)
    const { id: mine } = await addOrganization(store)
    const dashboard = dashboardOf()
    await store.dashboards.insert(mine, dashboard, startMs, { by: 'CI' })
    assert.deepEqual(await store.dashboards.getSaved(mine, dashboard.id), {
      ...{ dashboard, version: 1, file: null },
    })
    for (let version = 2; version <= 52; version++) {
      const next = { ...dashboard, name: `v${version}` }
      const save = store.transaction((tx) =>
        tx.dashboards.replace(mine, next, startMs + version, { by: 'me' }),
      )
      assert.equal(await save, version)
    }
    const versions = await store.dashboards.versions(dashboard.id)
    assert.deepEqual(
      versions.map(({ version }) => version),
      Array.from({ length: 50 }, (_, index) => 52 - index),
    )
    const newest = { version: 52, savedAtMs: startMs + 52, savedBy: 'me', name: 'v52', tiles: 0 }
    assert.deepEqual(versions[0], newest)
    assert.deepEqual(await store.dashboards.version(dashboard.id, 52), {
      ...newest,
      dashboard: { ...dashboard, name: 'v52' },
    })
    assert.equal(await store.dashboards.version(dashboard.id, 2), null)
    assert.equal((await store.dashboards.getSaved(mine, dashboard.id))?.version, 52)
    await store.dashboards.remove(mine, dashboard.id)
    assert.deepEqual(await store.dashboards.versions(dashboard.id), [])
  })

  test('dashboards: those from files are found by their organization', async (t) => {
    const { store } = await createRig(t)
    const { id: mine } = await addOrganization(store)
    const { id: theirs } = await addOrganization(store)
    const dashboard = dashboardOf()
    await store.dashboards.insert(mine, dashboard, startMs, { file: 'shop.json' })
    await store.dashboards.insert(mine, dashboardOf(), startMs)
    assert.deepEqual(await store.dashboards.listFromFiles(mine), [
      { dashboard, version: 1, file: 'shop.json' },
    ])
    assert.deepEqual(await store.dashboards.listFromFiles(theirs), [])
  })

  test('sources: of their organization, by id, by name whatever the case, and by default', async (t) => {
    const { store } = await createRig(t)
    const { id: mine } = await addOrganization(store)
    const { id: theirs } = await addOrganization(store)
    const logs = sourceOf({ name: 'Logs Ärger' })
    const gauges = sourceOf({
      ...{ name: 'gauges', kind: 'metrics', metric: { labels: ['host'], temporality: 'delta' } },
    })
    for (const source of [logs, gauges]) await store.transaction((tx) => tx.sources.insert(mine, source))
    assert.deepEqual(await store.sources.list(mine), [gauges, logs])
    assert.deepEqual(await store.sources.get(mine, logs.id), logs)
    assert.deepEqual(await store.sources.findByName(mine, 'lOGS äRGER'), logs)
    assert.deepEqual(await store.sources.defaultOf(mine, 'metrics'), gauges)

    assert.deepEqual(await store.sources.list(theirs), [])
    assert.equal(await store.sources.get(theirs, logs.id), null)
    assert.equal(await store.sources.findByName(theirs, logs.name), null)
    assert.equal(await store.sources.defaultOf(theirs, 'events'), null)
    assert.equal(await store.sources.remove(theirs, logs.id), false)
    await assert.rejects(store.sources.insert(mine, sourceOf({ name: 'logs ärger', isDefault: false })))

    const next = sourceOf({ name: 'spans' })
    await store.transaction((tx) => tx.sources.insert(mine, next))
    assert.deepEqual(await store.sources.defaultOf(mine, 'events'), next)
    assert.deepEqual(await store.sources.get(mine, logs.id), { ...logs, isDefault: false })
    const back = { ...logs, name: 'logs', updatedAtMs: startMs + 1 }
    await store.transaction((tx) => tx.sources.replace(mine, back))
    assert.deepEqual(await store.sources.defaultOf(mine, 'events'), back)
    assert.equal(await store.sources.remove(mine, logs.id), true)
    assert.equal(await store.sources.defaultOf(mine, 'events'), null)
  })

  test('sources: go with their service', async (t) => {
    const { store } = await createRig(t)
    const { id: mine } = await addOrganization(store)
    const service = await addService(store, mine)
    await store.sources.insert(mine, sourceOf({ serviceId: service.id }))
    const claim = await claimOne(store, 'service', service.id)
    assert.equal(await store.transaction((tx) => tx.services.remove(service, claim)), true)
    assert.deepEqual(await store.sources.list(mine), [])
  })
}
