import { visibleServices } from '../../domain/key/permissions.ts'
import { type ServiceView, viewService } from '../../domain/service/view.ts'
import type { Page } from '../../store/store.ts'
import { type Caller, type ControlContext, loadService } from '../context.ts'
import { type PageOf, type PageQuery, readPage } from '../paging.ts'

export async function getService(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
): Promise<ServiceView> {
  return viewService(await loadService(context.store, caller, serviceId), context.endpoint)
}

export async function listServices(
  context: ControlContext,
  caller: Caller,
  query: PageQuery,
): Promise<PageOf<ServiceView>> {
  const page = await readPage(
    query,
    (wanted) => readVisible(context, caller, wanted),
    (service) => service.createdAtMs,
  )
  return { ...page, items: page.items.map((service) => viewService(service, context.endpoint)) }
}

async function readVisible({ store }: ControlContext, caller: Caller, page: Page) {
  const { organizationId } = caller.key
  const visible = visibleServices(caller.key)
  if (visible === 'all') return store.services.list(organizationId, page)
  // A key with grants sees a few: read those, instead of all to find them.
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
