import { deleteAlert } from '../control/alerts.ts'
import { deleteDashboard } from '../control/dashboards.ts'
import { deletePipe } from '../control/pipes.ts'
import { deleteService } from '../control/services/delete.ts'
import { commandService } from '../control/services/update.ts'
import { deleteSource } from '../control/sources.ts'
import type { DemoKept } from '../domain/demo/types.ts'
import { isAllowed } from '../domain/service/transitions.ts'
import type { ServiceRecord } from '../domain/service/types.ts'
import { quoteIdentifier } from '../lib/clickhouse/identifiers.ts'
import { database } from './bodies.ts'
import { type DemoWork, until } from './context.ts'
import { pipeOf } from './folder.ts'
import { feedNames } from './shop/feeds.ts'

/**
 * Undoes what the demo made and nothing else; resolves with what stays because somebody changed it or uses it. Can
 * be repeated from any point.
 */
export async function removeDemo(work: DemoWork): Promise<DemoKept[]> {
  const kept = await removeDashboard(work)
  await removePipes(work)
  kept.push(...(await removeService(work)))
  await removeSources(work)
  await work.folder.remove()
  return kept
}

async function removeDashboard({ demo, control, caller }: DemoWork): Promise<DemoKept[]> {
  const { store } = control
  const { organizationId, ids } = demo
  const alert = await store.alerts.get(organizationId, ids.alert)
  const isChanged = alert !== null && alert.updatedAtMs !== alert.createdAtMs
  const saved = await store.dashboards.getSaved(organizationId, ids.dashboard)
  const alerts = await store.alerts.list(organizationId, { limit: mostAlerts, offset: 0 })
  const others = alerts.filter(({ id, dashboardId }) => dashboardId === ids.dashboard && id !== ids.alert)
  const reason = reasonToKeep(saved?.version ?? 1, isChanged, others.length > 0)
  if (alert && !isChanged) await deleteAlert(control, caller, ids.alert)
  if (!saved) return []
  if (reason === null) {
    await deleteDashboard(control, caller, ids.dashboard)
    return []
  }
  const { name } = saved.dashboard
  return [
    { kind: 'dashboard', id: ids.dashboard, name, reason },
    ...(alert && isChanged
      ? [{ kind: 'alert' as const, id: alert.id, name: alert.name, reason: 'it was changed' }]
      : []),
  ]
}

const mostAlerts = 1_000

function reasonToKeep(version: number, isAlertChanged: boolean, hasOthers: boolean): string | null {
  if (version > 1) return 'it was changed'
  if (isAlertChanged) return 'its alert was changed'
  return hasOthers ? 'it has an alert of yours' : null
}

async function removePipes(work: DemoWork): Promise<void> {
  const { demo, control, caller } = work
  const serviceId = demo.ids.service
  for (const feed of feedNames) {
    const pipeId = pipeOf(demo, feed)
    const pipe = await control.store.pipes.find(pipeId)
    if (pipe && !pipe.deleting) await deletePipe(control, caller, { serviceId, pipeId })
    await until(work, async () => ((await control.store.pipes.find(pipeId)) ? null : true))
  }
}

async function removeService(work: DemoWork): Promise<DemoKept[]> {
  const { demo, control, caller } = work
  const find = () => control.store.services.find(demo.ids.service)
  const service = await find()
  if (!service) return []
  if (!service.spec.deleting) {
    const kept = (reason: string): DemoKept[] => [
      { kind: 'service', id: service.id, name: service.spec.name, reason },
    ]
    const others = await usesOf(work, service)
    if (others.length > 0) {
      for (const table of await ownTables(work))
        await work.run(`DROP TABLE IF EXISTS ${quoteIdentifier(database)}.${quoteIdentifier(table)} SYNC`)
      return kept(`it has ${others.join(', ')}`)
    }
    await until(work, async () => {
      const state = (await find())?.status.state
      if (state === undefined || isAllowed('delete', state)) return true
      if (isAllowed('stop', state)) await commandService(control, caller, service.id, 'stop')
      return null
    })
    if (await find()) await deleteService(control, caller, service.id)
  }
  await until(work, async () => ((await find()) ? null : true))
  return []
}

/** What a person put into the service: it would be lost with the service. */
async function usesOf(work: DemoWork, service: ServiceRecord): Promise<string[]> {
  const { control } = work
  const pipes = (await control.store.pipes.list(service.id)).map(({ spec }) => `the pipe ${spec.name}`)
  if (service.isPrimary && (await control.store.services.hasSecondaries(service.warehouseId)))
    pipes.push('another service on its warehouse')
  if (!(await canLook(work))) return pipes
  const own = new Set(await ownTables(work))
  const all = (await control.tables?.list(service.id)) ?? []
  const tables = all.filter(
    (each) => each.database !== 'granary_pipes' && !(each.database === database && own.has(each.table)),
  )
  return [...pipes, ...tables.slice(0, 5).map((each) => `the table ${each.database}.${each.table}`)]
}

/** Starts a stopped service, since only one that runs tells its tables. False = it never ran, or has failed. */
async function canLook(work: DemoWork): Promise<boolean> {
  const { demo, control, caller } = work
  return until(work, async () => {
    const service = await control.store.services.find(demo.ids.service)
    const state = service?.status.state
    if (!service || state === 'failed' || state === 'terminating') return false
    if (state === 'stopped') await commandService(control, caller, service.id, 'start')
    return state === 'running' || state === 'idle' ? true : null
  })
}

/** With the tables of errors and of staging that belong to them. */
async function ownTables({ demo, control }: DemoWork): Promise<string[]> {
  const all = (await control.tables?.tables(demo.ids.service, database)) ?? []
  return all.filter((name) => feedNames.some((feed) => name === feed || name.startsWith(`${feed}_pipe_`)))
}

async function removeSources({ demo, control, caller }: DemoWork): Promise<void> {
  for (const source of await control.store.sources.list(demo.organizationId)) {
    const isOwn = source.database === database && feedNames.some((feed) => feed === source.table)
    if (source.serviceId === demo.ids.service && isOwn) await deleteSource(control, caller, source.id)
  }
}
