import type { KeyRecord, KeyRole } from './types.ts'

/** The permissions that operations require. `view` is reading, `manage` is every change. */
export const permissions = [
  'organization:view',
  'organization:manage',
  'services:view',
  'services:create',
  'services:manage',
  'pipes:view',
  'pipes:manage',
  'backups:view',
  'backups:manage',
  'keys:view',
  'keys:manage',
  'activities:view',
  'metrics:view',
  'dashboards:view',
  'dashboards:manage',
] as const
export type Permission = (typeof permissions)[number]

/** The most that a grant on one service can give: nothing that reaches beyond that service. */
const servicePermissions: readonly Permission[] = [
  'services:view',
  'services:manage',
  'pipes:view',
  'pipes:manage',
  'backups:view',
  'backups:manage',
  'metrics:view',
]

/** What any valid key of an organization may see of it. */
const memberPermissions: readonly Permission[] = ['organization:view']

export type Access = 'allowed' | 'forbidden' | 'hidden'

/**
 * Whether this key has the permission, on this service or (without one) on the organization. `hidden`: the key
 * may not even know that the service exists, so the answer is 404.
 */
export function access(key: KeyRecord, permission: Permission, serviceId?: string): Access {
  if (key.roles.some((role) => roleHas(role, permission))) return 'allowed'
  if (serviceId === undefined) return memberPermissions.includes(permission) ? 'allowed' : 'forbidden'
  const grants = key.serviceGrants.filter((grant) => grant.serviceId === serviceId)
  if (grants.some((grant) => servicePermissions.includes(permission) && roleHas(grant.role, permission)))
    return 'allowed'
  const seesService = grants.length > 0 || key.roles.some((role) => roleHas(role, 'services:view'))
  return seesService ? 'forbidden' : 'hidden'
}

/** Which services a list may show: all, or only those granted. */
export function visibleServices(key: KeyRecord): 'all' | ReadonlySet<string> {
  if (key.roles.some((role) => roleHas(role, 'services:view'))) return 'all'
  return new Set(key.serviceGrants.map((grant) => grant.serviceId))
}

/**
 * Everything that this key may do, on this service or (without one) on the whole organization. A dashboard token
 * reaches the dashboard API only, whatever its role.
 */
export function permissionsOf(key: KeyRecord, serviceId?: string): Permission[] {
  const reaches = (permission: Permission) =>
    key.kind === 'management' ||
    permission.startsWith('dashboards:') ||
    memberPermissions.includes(permission)
  return permissions.filter(
    (permission) => reaches(permission) && access(key, permission, serviceId) === 'allowed',
  )
}

function roleHas(role: KeyRole, permission: Permission): boolean {
  return role === 'admin' || permission.endsWith(':view')
}
