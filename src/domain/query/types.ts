/** A statement that an organization keeps under a name. */
export interface NamedQuery {
  id: string
  organizationId: string
  name: string
  text: string
  /** The service that it is meant for; null = none, or one that is gone. */
  serviceId: string | null
  createdAtMs: number
  updatedAtMs: number
}

/** The bounds of a named query, and how many of them an organization has at most. */
export const namedQueryLimits = { nameLength: 256, textLength: 64 * 1024, perOrganization: 1_000 }

/** Names need not be unique. */
export type NamedQueryInput = Pick<NamedQuery, 'name' | 'text'> & { serviceId?: string | null }

export function viewNamedQuery({ id, name, text, serviceId, createdAtMs, updatedAtMs }: NamedQuery) {
  return {
    ...{ id, name, text, serviceId },
    createdAt: new Date(createdAtMs).toISOString(),
    updatedAt: new Date(updatedAtMs).toISOString(),
  }
}

export type NamedQueryView = ReturnType<typeof viewNamedQuery>
