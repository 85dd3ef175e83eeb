/**
 * Sessions live in one replica each. Where the service has a writer they live there; else this keeps which
 * replica a session began on. Bounded, for each user and in all: the session that was used longest ago is forgotten
 * first, so that nobody makes the sessions of others forgotten by having many.
 */
export interface Sessions {
  /** The id of the replica, or ''. */
  find(key: string): string
  note(key: string, replicaId: string): void
}

const maxOwners = 1_000
const maxOfOwner = 1_000

export function createSessions(): Sessions {
  const owners = new Map<string, Map<string, string>>()
  return {
    find: (key) => owners.get(ownerOf(key))?.get(key) ?? '',
    note(key, replicaId) {
      const owner = ownerOf(key)
      const places = owners.get(owner) ?? new Map<string, string>()
      putLast(places, key, replicaId, maxOfOwner)
      putLast(owners, owner, places, maxOwners)
    },
  }
}

function putLast<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key)
  const [oldest] = map.size >= max ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
  map.set(key, value)
}

/** The part of the key that is service and user. */
const ownerOf = (key: string): string => key.slice(0, key.lastIndexOf(':'))

/** Unique for service, user and session, and fit for a header. */
export const sessionKey = (serviceId: string, user: string, sessionId: string): string =>
  `${serviceId}:${encodeURIComponent(user)}:${encodeURIComponent(sessionId.toWellFormed())}`
