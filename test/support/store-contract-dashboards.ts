import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AlertHistoryEntry } from '../../src/domain/alert/types.ts'
import type { Tile } from '../../src/domain/dashboard/types.ts'
import type { NamedQuery } from '../../src/domain/query/types.ts'
import { newId } from '../../src/lib/ids.ts'
import { addOrganization, addService, alertOf, dashboardOf, sourceOf, startMs } from './store-records.ts'
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

  test('alerts: of their organization, with a sealed secret; the last 1000 evaluations stay', async (t) => {
    const { store } = await createRig(t)
    const { id: mine } = await addOrganization(store)
    const { id: theirs } = await addOrganization(store)
    const dashboard = dashboardOf()
    await store.dashboards.insert(mine, dashboard, startMs)
    const alert = alertOf(mine, { dashboardId: dashboard.id })
    const later = alertOf(mine, { dashboardId: dashboard.id, createdAtMs: startMs + 1 })
    for (const each of [later, alert])
      await store.transaction((tx) => tx.alerts.insert(each, `of ${each.id}`))
    assert.deepEqual(await store.alerts.list(mine, { limit: 10, offset: 0 }), [alert, later])
    assert.deepEqual(await store.alerts.list(mine, { limit: 1, offset: 1 }), [later])
    assert.deepEqual([await store.alerts.count(mine), await store.alerts.count(theirs)], [2, 0])
    assert.deepEqual(await store.alerts.get(mine, alert.id), alert)
    assert.equal(await store.alerts.get(theirs, alert.id), null)
    assert.equal(await store.alerts.remove(theirs, alert.id), false)
    assert.equal(await store.alerts.secret(alert.id), `of ${alert.id}`)
    const renamed = { ...alert, name: 'Other', updatedAtMs: startMs + 2 }
    await store.transaction((tx) => tx.alerts.save(renamed))
    assert.deepEqual(await store.alerts.find(alert.id), renamed)
    assert.equal(await store.alerts.secret(alert.id), `of ${alert.id}`)

    const claim = await claimOne(store, 'alert', alert.id)
    const entry = (at: number): AlertHistoryEntry => ({
      ...{ at, state: 'OK', value: 1, startTime: 0, endTime: at, groups: [], error: null, delivery: null },
    })
    const evaluate = (evaluations: number, holder = claim) =>
      store.transaction((tx) =>
        tx.alerts.saveEvaluation(alert.id, { ...alert.status, evaluations }, entry(evaluations), holder),
      )
    assert.equal(await evaluate(1, { ...claim, owner: 'b' }), false)
    for (const number of [1, 2, 1000, 1001]) assert.equal(await evaluate(number), true)
    const numbers = async () => (await store.alerts.history(alert.id, 10)).map(({ at }) => at)
    assert.deepEqual(await numbers(), [1001, 1000, 2])
    assert.deepEqual((await store.alerts.history(alert.id, 1)).length, 1)
    const delivery = { event: 'alert.fired' as const, attempts: 1, status: 200, error: null }
    await store.transaction((tx) =>
      tx.alerts.saveDelivery(alert.id, (status) => ({ ...status, breaches: 7 }), 1000, delivery),
    )
    assert.equal((await store.alerts.find(alert.id))?.status.breaches, 7)
    assert.deepEqual((await store.alerts.history(alert.id, 10))[1]?.delivery, delivery)

    const { tileId } = alert
    await store.transaction((tx) =>
      tx.dashboards.replace(mine, { ...dashboard, tiles: [tileOf(tileId)] }, startMs),
    )
    assert.equal(await store.alerts.count(mine), 1)
    await store.dashboards.remove(mine, dashboard.id)
    assert.equal(await store.alerts.count(mine), 0)
    assert.deepEqual(await numbers(), [])
  })

  test('named queries: belong to an organization, and outlive their service', async (t) => {
    const { store } = await createRig(t)
    const { id: mine } = await addOrganization(store)
    const { id: theirs } = await addOrganization(store)
    const service = await addService(store, mine)
    const named = (name: string): NamedQuery => ({
      ...{ id: newId(), organizationId: mine, name, text: 'SELECT 1;\n-- ü', serviceId: service.id },
      ...{ createdAtMs: startMs, updatedAtMs: startMs },
    })
    const [late, early] = [named('b'), named('a')]
    await store.namedQueries.insert(late)
    await store.namedQueries.insert(early)
    assert.deepEqual(await store.namedQueries.list(mine), [early, late])
    assert.deepEqual(await store.namedQueries.list(theirs), [])
    assert.equal(await store.namedQueries.count(mine), 2)
    assert.deepEqual(await store.namedQueries.get(mine, late.id), late)
    assert.equal(await store.namedQueries.get(theirs, late.id), null)
    const next = { ...early, name: 'z', updatedAtMs: startMs + 1 }
    await store.namedQueries.replace(next)
    await store.namedQueries.remove(late)
    assert.deepEqual(await store.namedQueries.list(mine), [next])
    const claim = await claimOne(store, 'service', service.id)
    assert.equal(await store.transaction((tx) => tx.services.remove(service, claim)), true)
    assert.deepEqual(await store.namedQueries.list(mine), [{ ...next, serviceId: null }])
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

const tileOf = (id: string): Tile => ({
  ...{ id, name: 'T', x: 0, y: 0, w: 1, h: 1, asRatio: false },
  series: [{ type: 'number', dataSource: 'events', aggFn: 'count', where: '', groupBy: [] }],
})
