import type { EndpointAccess } from '../../domain/service/endpoint.ts'
import type { AccessCache } from './access.ts'
import type { Routes, ServiceRoutes } from './routes.ts'

/** The parts of a service that routing needs. */
export interface ServiceTarget {
  /** null = the service does not exist. */
  access: EndpointAccess | null
  routes: ServiceRoutes
}

export async function serviceTargetOf(
  { access, routes }: { access: AccessCache; routes: Routes },
  serviceId: string,
): Promise<ServiceTarget> {
  const known = await access.get(serviceId)
  return { access: known?.access ?? null, routes: await routesOf(routes, serviceId) }
}

/** If the engine cannot be observed, there are no replicas for now. */
async function routesOf(routes: Routes, serviceId: string): Promise<ServiceRoutes> {
  try {
    return await routes.get(serviceId)
  } catch {
    return { problem: '', replicas: [] }
  }
}
