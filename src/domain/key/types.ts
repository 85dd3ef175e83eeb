/** A credential: a key for the management API, or a bearer token for the dashboard API. */
export interface KeyRecord {
  id: string
  organizationId: string
  kind: KeyKind
  name: string
  state: KeyState
  roles: KeyRole[]
  /** What the key may do on single services, beside its roles. */
  serviceGrants: ServiceGrant[]
  /** Addresses from which the key may be used. Empty = from nowhere. */
  ipAccessList: { source: string; description: string }[]
  /** The last four characters of the key id, or of the token. */
  keySuffix: string
  createdAtMs: number
  /** null = the key never expires. */
  expireAtMs: number | null
  /** null = not used yet; accurate to the minute. */
  usedAtMs: number | null
}

export interface ServiceGrant {
  serviceId: string
  role: KeyRole
}

export const keyKinds = ['management', 'dashboard'] as const
export type KeyKind = (typeof keyKinds)[number]

export const keyStates = ['enabled', 'disabled'] as const
export type KeyState = (typeof keyStates)[number]

/** admin: everything. developer: read. Both exist for the whole organization and, as grants, for one service. */
export const keyRoles = ['admin', 'developer'] as const
export type KeyRole = (typeof keyRoles)[number]

export const keyName = { min: 1, max: 255 } as const
export const keyGrants = { max: 1000 } as const
