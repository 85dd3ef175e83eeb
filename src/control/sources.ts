import { isDeepStrictEqual } from 'node:util'
import { AppError, invalid, notFound, refuse } from '../domain/errors.ts'
import type { Issue } from '../domain/issue.ts'
import type { ServiceRecord } from '../domain/service/types.ts'
import { type PlannedSource, planDefault, planSource, sourceNameIssues } from '../domain/source/plan.ts'
import { proposeSources } from '../domain/source/propose.ts'
import type {
  SourceInput,
  SourceRecord,
  SourceReplaceInput,
  TableDescription,
} from '../domain/source/types.ts'
import { type SourceView, viewSource } from '../domain/source/view.ts'
import { newHexId } from '../lib/ids.ts'
import { nearestNames } from '../lib/nearest.ts'
import type { TableReader } from '../sources/tables.ts'
import type { Repositories } from '../store/store.ts'
import {
  type Caller,
  type ControlContext,
  loadOrganization,
  recordActivity,
  requireUsable,
} from './context.ts'

export async function listSources({ store }: ControlContext, caller: Caller): Promise<SourceView[]> {
  return (await store.sources.list(caller.key.organizationId)).map(viewSource)
}

export async function getSource({ store }: ControlContext, caller: Caller, id: string): Promise<SourceView> {
  return viewSource(await load(store, caller, id))
}

export async function createSource(
  context: ControlContext,
  caller: Caller,
  body: SourceInput,
): Promise<SourceView> {
  const { organizationId } = caller.key
  const { store, clock } = context
  // The name is judged before the service is woken, and once more when nothing can come in between.
  refuse(sourceNameIssues(body.name, await store.sources.list(organizationId)))
  const planned = await plan(context, caller, body)
  return store.transaction(async (tx) => {
    await loadOrganization(tx, caller, 'update')
    const others = await tx.sources.list(organizationId)
    refuse(sourceNameIssues(body.name, others))
    const nowMs = clock.now()
    const isDefault = planDefault({ kind: planned.kind, isDefault: body.isDefault }, others, null)
    const times = { createdAtMs: nowMs, updatedAtMs: nowMs }
    const source: SourceRecord = { id: newHexId(nowMs), ...planned, isDefault, ...times }
    await tx.sources.insert(organizationId, source)
    const change = { type: 'source_create' as const, serviceId: source.serviceId, resourceId: source.id }
    const view = viewSource(source)
    await recordActivity(tx, clock, caller, { ...change, after: { ...view } })
    return view
  })
}

export async function replaceSource(
  context: ControlContext,
  caller: Caller,
  id: string,
  body: SourceReplaceInput,
): Promise<SourceView> {
  const { organizationId } = caller.key
  const { store, clock } = context
  await load(store, caller, id)
  if (body.id !== undefined && body.id !== id)
    throw invalid([{ path: ['id'], code: 'immutable', message: 'must be the id in the path' }])
  const planned = await plan(context, caller, body)
  return store.transaction(async (tx) => {
    await loadOrganization(tx, caller, 'update')
    const current = await load(tx, caller, id)
    const others = (await tx.sources.list(organizationId)).filter((source) => source.id !== id)
    refuse(sourceNameIssues(body.name, others))
    const isDefault = planDefault({ kind: planned.kind, isDefault: body.isDefault }, others, current)
    const { createdAtMs, updatedAtMs } = current
    const next: SourceRecord = { id, ...planned, isDefault, createdAtMs, updatedAtMs }
    if (isDeepStrictEqual(next, current)) return viewSource(current)
    const saved = { ...next, updatedAtMs: clock.now() }
    await tx.sources.replace(organizationId, saved)
    const change = { type: 'source_update' as const, serviceId: saved.serviceId, resourceId: id }
    const [before, after] = [viewSource(current), viewSource(saved)]
    await recordActivity(tx, clock, caller, { ...change, before: { ...before }, after: { ...after } })
    return after
  })
}

export function deleteSource(
  { store, clock }: ControlContext,
  caller: Caller,
  id: string,
): Promise<Record<string, never>> {
  return store.transaction(async (tx) => {
    const source = await load(tx, caller, id)
    await tx.sources.remove(caller.key.organizationId, id)
    const change = { type: 'source_delete' as const, serviceId: source.serviceId, resourceId: id }
    await recordActivity(tx, clock, caller, { ...change, before: { ...viewSource(source) } })
    return {}
  })
}

/** Without a service, the tables of all services that run now; none is woken. */
export async function proposals(
  { store, tables }: ControlContext,
  caller: Caller,
  serviceId: string | undefined,
): Promise<SourceInput[]> {
  const { organizationId } = caller.key
  const services =
    serviceId === undefined
      ? (await store.services.list(organizationId)).filter(({ status }) => status.state === 'running')
      : [await usable(store, caller, serviceId, ['query', 'serviceId'])]
  const sources = await store.sources.list(organizationId)
  const found: SourceInput[] = []
  for (const { id } of services) {
    const known = [...sources, ...(found as SourceRecord[])]
    found.push(...proposeSources(id, await reading(tables).list(id), known))
  }
  return found
}

async function plan(context: ControlContext, caller: Caller, body: SourceInput): Promise<PlannedSource> {
  const { id } = await usable(context.store, caller, body.serviceId, ['serviceId'])
  const planned = planSource(body, await describe(reading(context.tables), id, body))
  if ('issues' in planned) throw invalid(planned.issues)
  return planned.source
}

async function describe(
  tables: TableReader,
  serviceId: string,
  { database = 'default', table }: SourceInput,
): Promise<TableDescription> {
  const found = await tables.describe(serviceId, { database, table })
  if (found) return found
  const databases = await tables.databases(serviceId)
  const isKnown = databases.includes(database)
  const [path, given] = isKnown ? ['table', table] : ['database', database]
  const suggestions = nearestNames(given, isKnown ? await tables.tables(serviceId, database) : databases)
  throw invalid([{ path: [path], code: 'not_found', message: `no such ${path} in the service`, suggestions }])
}

async function usable(
  store: Repositories,
  caller: Caller,
  serviceId: string,
  path: Issue['path'],
): Promise<ServiceRecord> {
  const service = await store.services.get(caller.key.organizationId, serviceId.toLowerCase())
  if (!service) throw invalid([{ path, code: 'not_found', message: 'no such service' }])
  requireUsable(service)
  return service
}

function reading(tables: TableReader | null): TableReader {
  if (!tables) throw new AppError('UNAVAILABLE', 'no engine runs here that could read tables')
  return tables
}

async function load({ sources }: Repositories, caller: Caller, id: string): Promise<SourceRecord> {
  const source = await sources.get(caller.key.organizationId, id)
  if (!source) throw notFound('source')
  return source
}
