import { access, type Permission } from '../key/permissions.ts'
import type { KeyRecord } from '../key/types.ts'

/** By resource, the permission that its reader needs. */
const readers = {
  organization: 'organization:view',
  service: 'services:view',
  pipe: 'pipes:view',
  backup: 'backups:view',
  key: 'keys:view',
  dashboard: 'dashboards:view',
  source: 'dashboards:view',
  alert: 'dashboards:view',
  query: 'services:view',
  demo: 'services:view',
} as const satisfies Record<string, Permission>

export type ChangedResource = keyof typeof readers
export const changedResources = Object.keys(readers) as ChangedResource[]

/** Something about a resource is different now: its intent, its state, or that it exists. */
export interface ResourceChange {
  resource: ChangedResource
  id: string
  organizationId: string
  /** The service that the resource belongs to, or is; null = none. */
  serviceId: string | null
  /**
   * The version of a dashboard, or the generation of a service, pipe or backup; 0 = the resource has none. A state
   * changes without it.
   */
  version: number
}

/** Whether the key may read the resource. */
export function maySee(key: KeyRecord, { resource, serviceId, organizationId }: ResourceChange): boolean {
  if (organizationId !== key.organizationId) return false
  return access(key, readers[resource], serviceId ?? undefined) === 'allowed'
}
