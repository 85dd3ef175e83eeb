import type { Issue } from '../issue.ts'

/**
 * A further user of a service's endpoint, beside the built-in `default`, whose password is the service's own.
 * A user belongs to one service, is known by its name there, and goes with it.
 */
export interface ServiceUserRecord {
  id: string
  serviceId: string
  /** What one logs in with; upper and lower case differ, as in the engine. */
  name: string
  role: UserRole
  createdAtMs: number
  updatedAtMs: number
}

/** readOnly: queries. readWrite: also writes and changes of tables, as far as the service itself takes them. */
export const userRoles = ['readOnly', 'readWrite'] as const
export type UserRole = (typeof userRoles)[number]

export const userName = { min: 1, max: 64, pattern: '^[A-Za-z_][A-Za-z0-9_.-]*$' } as const
export const usersPerService = 100

export interface UserDraft {
  name: string
  role?: UserRole
}

/** What the schema of a name cannot say: some names are taken, however they are spelled. */
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

/** A user as the interface shows it; the password is nowhere in it. */
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
