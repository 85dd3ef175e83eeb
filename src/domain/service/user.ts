import type { Issue } from '../issue.ts'

/**
 * An additional user of a service's endpoint, beside the built-in `default`, whose password is the service's
 * own. A user belongs to one service, has a unique name there, and is deleted with the service.
 */
export interface ServiceUserRecord {
  id: string
  serviceId: string
  /** The login name; upper and lower case differ, as in the engine. */
  name: string
  role: UserRole
  createdAtMs: number
  updatedAtMs: number
}

/** readOnly: queries. readWrite: also writes and DDL, unless the service itself is read-only. */
export const userRoles = ['readOnly', 'readWrite'] as const
export type UserRole = (typeof userRoles)[number]

export const userName = { min: 1, max: 64, pattern: '^[A-Za-z_][A-Za-z0-9_.-]*$' } as const
export const usersPerService = 100

export interface UserDraft {
  name: string
  role?: UserRole
}

/** Checks what the schema of a name cannot: some names are reserved, in any letter case. */
export function planUser(
  draft: UserDraft,
): { user: Pick<ServiceUserRecord, 'name' | 'role'> } | { issues: Issue[] } {
  const message = reservedFor(draft.name.toLowerCase())
  if (message !== null) return { issues: [{ path: ['name'], code: 'invalid_value', message }] }
  return { user: { name: draft.name, role: draft.role ?? 'readWrite' } }
}

function reservedFor(name: string): string | null {
  if (name === 'default') return 'is reserved: default is the user that the service itself has'
  if (name.startsWith('granary')) return 'is reserved: names that begin with granary are not for users'
  return null
}

/** A user as the interface shows it, without the password. */
export function viewUser(user: ServiceUserRecord) {
  return {
    id: user.id,
    serviceId: user.serviceId,
    name: user.name,
    role: user.role,
    createdAt: new Date(user.createdAtMs).toISOString(),
    updatedAt: new Date(user.updatedAtMs).toISOString(),
  }
}

export type ServiceUserView = ReturnType<typeof viewUser>
