import { visibleServices } from '../../domain/key/permissions.ts'
import { noResources } from '../../domain/service/resources.ts'
import type { ServiceRecord, ServiceSpec, ServiceStatus } from '../../domain/service/types.ts'
import { type ServiceView, viewService } from '../../domain/service/view.ts'
import type { Page } from '../../store/store.ts'
import { type Caller, type ControlContext, loadService } from '../context.ts'
import { type PageOf, type PageQuery, readPage } from '../paging.ts'

export async function getService(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
): Promise<ServiceView> {
  const service = await loadService(context.store, caller, serviceId)
  const view = rememberedView(context, service)
  const resources = await context.resources(service)
  return resources === noResources ? view : { ...view, resources }
}

// The store returns the same spec and status objects until the service changes, so the view can be cached.
const views = new WeakMap<ServiceStatus, { spec: ServiceSpec; view: ServiceView }>()

function rememberedView({ endpoint }: ControlContext, service: ServiceRecord): ServiceView {
  const known = views.get(service.status)
  if (known?.spec === service.spec) return known.view
  const view = viewService(service, endpoint)
  views.set(service.status, { spec: service.spec, view })
  return view
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
