import { visibleServices } from '../../domain/key/permissions.ts'
import { noResources } from '../../domain/service/resources.ts'
import type { Page } from '../../store/store.ts'
import { type Caller, type ControlContext, loadService } from '../context.ts'
import { type PageOf, type PageQuery, readPage } from '../paging.ts'
import { answerService, answerServices, type ServiceAnswer } from './answer.ts'

export async function getService(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
): Promise<ServiceAnswer> {
  const service = await loadService(context.store, caller, serviceId)
  const answer = await answerService(context, service)
  const resources = await context.resources(service)
  return resources === noResources ? answer : { ...answer, resources }
}

export async function listServices(
  context: ControlContext,
  caller: Caller,
  query: PageQuery,
): Promise<PageOf<ServiceAnswer>> {
  const page = await readPage(
    query,
    (wanted) => readVisible(context, caller, wanted),
    (service) => service.createdAtMs,
  )
  return { ...page, items: await answerServices(context, page.items) }
}

/** A page of the services that the key may see, oldest first. */
export async function readVisible({ store }: ControlContext, caller: Caller, page: Page) {
  const { organizationId } = caller.key
  const visible = visibleServices(caller.key)
  if (visible === 'all') return store.services.list(organizationId, page)
  // A key with grants sees only a few services, so these are read one by one instead of the whole list.
  const found = await Promise.all([...visible].map((id) => store.services.get(organizationId, id)))
  const { after, limit } = page
  const isAfter = (atMs: number, id: string) =>
    !after || atMs > after.atMs || (atMs === after.atMs && id > after.id)
  return found
    .filter((service) => service !== null)
    .filter((service) => isAfter(service.createdAtMs, service.id))
    .sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
}
