import { createAlert } from '../control/alerts.ts'
import { createDashboard } from '../control/dashboards.ts'
import { createPipe } from '../control/pipes.ts'
import { createService } from '../control/services/create.ts'
import { createSource, replaceSource } from '../control/sources.ts'
import type { DemoStep } from '../domain/demo/types.ts'
import { tierRules } from '../domain/organization/tiers.ts'
import type { SourceInput } from '../domain/source/types.ts'
import { alertBody, database, pipeBody, serviceBody } from './bodies.ts'
import { type DemoWork, until } from './context.ts'
import { demoDashboard, watchedTile } from './dashboard.ts'
import { pipeOf, shopOf } from './folder.ts'
import { generate } from './generate.ts'
import { type FeedName, feedNames } from './shop/feeds.ts'

/** What makes the demo, in order. Each step can be repeated, whatever of it was done before. */
export const makers: Record<DemoStep, (work: DemoWork) => Promise<void>> = {
  async service(work) {
    const { demo, control, caller, tell } = work
    tell('service', { done: 0, total: 1 })
    if (await control.store.services.find(demo.ids.service)) return
    const organization = await control.store.organizations.get(demo.organizationId)
    const [fewest] = tierRules[organization?.tier ?? 'BASIC'].first
    await createService(control, caller, serviceBody(fewest), demo.ids.service)
  },

  async data({ demo, folder, tell, signal }) {
    const work = { shop: shopOf(demo), tasks: await folder.history() }
    await generate(work, (progress) => tell('data', progress), signal)
  },

  async pipe(work) {
    await until(work, () => isUp(work))
    const { demo, control, caller, folder } = work
    for (const feed of feedNames) {
      const id = pipeOf(demo, feed)
      if (await control.store.pipes.find(id)) continue
      await createPipe(control, caller, demo.ids.service, pipeBody(feed, folder.urlOf(feed)), id)
    }
    for (const feed of feedNames) await until(work, () => hasLoaded(work, feed))
  },

  async dashboard(work) {
    const { demo, control, caller, tell } = work
    const names = { requests: await sourceOf(work, 'requests'), metrics: await sourceOf(work, 'metrics') }
    const body = demoDashboard(names)
    tell('dashboard', { done: 0, total: body.tiles?.length ?? 0 })
    if (await control.store.dashboards.get(demo.organizationId, demo.ids.dashboard)) return
    await createDashboard(control, caller, body, demo.ids.dashboard)
  },

  async alert({ demo, control, caller, tell }) {
    tell('alert', { done: 0, total: 1 })
    if (await control.store.alerts.get(demo.organizationId, demo.ids.alert)) return
    const dashboard = await control.store.dashboards.get(demo.organizationId, demo.ids.dashboard)
    const tile = dashboard?.tiles.find(({ name }) => name === watchedTile)
    await createAlert(control, caller, alertBody(demo.ids.dashboard, tile?.id ?? ''), demo.ids.alert)
  },
}

async function isUp({ demo, control }: DemoWork): Promise<true | null> {
  const service = await control.store.services.find(demo.ids.service)
  if (!service) throw new Error('the service of the demo was deleted: remove the demo, then start it anew')
  const { state, reason } = service.status
  if (state === 'failed' || state === 'stopped' || state === 'terminating')
    throw new Error(`the service of the demo is ${state}${reason ? `: ${reason}` : ''}`)
  return state === 'running' || state === 'idle' ? true : null
}

async function hasLoaded(work: DemoWork, feed: FeedName): Promise<true | null> {
  const { demo, control, folder, tell } = work
  const pipe = await control.store.pipes.find(pipeOf(demo, feed))
  if (!pipe || pipe.deleting) throw new Error(`the pipe shop ${feed} was deleted`)
  const { state, reason } = pipe.status
  if (state === 'Failed' || state === 'Stopped')
    throw new Error(`the pipe shop ${feed} is ${state}: ${reason}`)
  if (feed === 'requests') tell('pipe', { done: control.pipeStatus(pipe.id)?.rows ?? 0, total: 0 })
  return (await folder.hasLoadedHistory(feed)) ? true : null
}

/** The name of the source that reads a table of the demo. A pipe makes it; metrics of the demo are increments. */
async function sourceOf({ demo, control, caller }: DemoWork, table: FeedName): Promise<string> {
  const place = { serviceId: demo.ids.service, database, table }
  const all = await control.store.sources.list(demo.organizationId)
  const found = all.find(
    (each) => each.serviceId === place.serviceId && each.database === database && each.table === table,
  )
  const kind = table === 'metrics' ? ('metrics' as const) : ('events' as const)
  const body: SourceInput = {
    ...{ name: found?.name ?? `${database}.${table}`, kind, ...place },
    ...(kind === 'metrics' && { metric: { temporality: 'delta' } }),
  }
  if (!found) return (await createSource(control, caller, body)).name
  if (kind === 'metrics' && found.metric?.temporality !== 'delta')
    await replaceSource(control, caller, found.id, body)
  return found.name
}
