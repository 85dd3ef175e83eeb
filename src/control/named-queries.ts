import { AppError, invalid, notFound } from '../domain/errors.ts'
import {
  type NamedQuery,
  type NamedQueryInput,
  type NamedQueryView,
  namedQueryLimits,
  viewNamedQuery,
} from '../domain/query/types.ts'
import { newId } from '../lib/ids.ts'
import type { Repositories } from '../store/store.ts'
import { type Caller, type ControlContext, loadOrganization, recordActivity } from './context.ts'

export async function listNamedQueries({ store }: ControlContext, caller: Caller): Promise<NamedQueryView[]> {
  return (await store.namedQueries.list(caller.key.organizationId)).map(viewNamedQuery)
}

export async function getNamedQuery(
  { store }: ControlContext,
  caller: Caller,
  id: string,
): Promise<NamedQueryView> {
  return viewNamedQuery(await load(store, caller, id))
}

export function createNamedQuery(
  { store, clock }: ControlContext,
  caller: Caller,
  body: NamedQueryInput,
): Promise<NamedQueryView> {
  return store.transaction(async (tx) => {
    // Locked for update: two requests at once must not pass the limit together.
    const { id: organizationId } = await loadOrganization(tx, caller, 'update')
    const { perOrganization } = namedQueryLimits
    if ((await tx.namedQueries.count(organizationId)) >= perOrganization)
      throw new AppError('QUOTA_EXCEEDED', `an organization has at most ${perOrganization} named queries`)
    const nowMs = clock.now()
    const content = await contentOf(tx, caller, body)
    const query = { id: newId(), organizationId, ...content, createdAtMs: nowMs, updatedAtMs: nowMs }
    await tx.namedQueries.insert(query)
    const after = viewNamedQuery(query)
    await recordActivity(tx, clock, caller, { ...changeOf(query, 'query_create'), after })
    return after
  })
}

export function replaceNamedQuery(
  { store, clock }: ControlContext,
  caller: Caller,
  id: string,
  body: NamedQueryInput,
): Promise<NamedQueryView> {
  return store.transaction(async (tx) => {
    const current = await load(tx, caller, id)
    const { name, text, serviceId } = await contentOf(tx, caller, body)
    if (name === current.name && text === current.text && serviceId === current.serviceId)
      return viewNamedQuery(current)
    const next: NamedQuery = { ...current, name, text, serviceId, updatedAtMs: clock.now() }
    await tx.namedQueries.replace(next)
    const [before, after] = [viewNamedQuery(current), viewNamedQuery(next)]
    await recordActivity(tx, clock, caller, { ...changeOf(next, 'query_update'), before, after })
    return after
  })
}

export function deleteNamedQuery(
  { store, clock }: ControlContext,
  caller: Caller,
  id: string,
): Promise<NamedQueryView> {
  return store.transaction(async (tx) => {
    const query = await load(tx, caller, id)
    await tx.namedQueries.remove(query)
    const before = viewNamedQuery(query)
    await recordActivity(tx, clock, caller, { ...changeOf(query, 'query_delete'), before })
    return before
  })
}

async function contentOf(
  tx: Repositories,
  caller: Caller,
  { name, text, serviceId = null }: NamedQueryInput,
): Promise<Pick<NamedQuery, 'name' | 'text' | 'serviceId'>> {
  if (serviceId === null) return { name, text, serviceId }
  const service = await tx.services.get(caller.key.organizationId, serviceId.toLowerCase())
  if (!service) throw invalid([{ path: ['serviceId'], code: 'not_found', message: 'no such service' }])
  return { name, text, serviceId: service.id }
}

const changeOf = <T extends string>({ id, serviceId }: NamedQuery, type: T) => ({
  ...{ type, serviceId, resourceId: id },
})

async function load({ namedQueries }: Repositories, caller: Caller, id: string): Promise<NamedQuery> {
  const query = await namedQueries.get(caller.key.organizationId, id)
  if (!query) throw notFound('query')
  return query
}
