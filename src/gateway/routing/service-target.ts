import type { EndpointAccess } from '../../domain/service/endpoint.ts'
import type { AccessCache } from './access.ts'
import type { Routes, ServiceRoutes } from './routes.ts'

/** A service as far as routing needs it. */
export interface ServiceTarget {
  /** null = it does not exist. */
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

/** An engine that cannot tell has, for now, nothing to send to. */
async function routesOf(routes: Routes, serviceId: string): Promise<ServiceRoutes> {
  try {
    return await routes.get(serviceId)
  } catch {
    return { power: 'unknown', problem: '', replicas: [] }
  }
}
