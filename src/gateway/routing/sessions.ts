/**
 * Each session lives in one replica. If the service has a writer, that is the writer; otherwise this records
 * on which replica a session began. Bounded, for each user and in total: the least recently used session is
 * forgotten first, so that a user with many sessions cannot displace those of others.
 */
export interface Sessions {
  /** The id of the replica; '' = unknown. */
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

/** The part of the key with service and user. */
const ownerOf = (key: string): string => key.slice(0, key.lastIndexOf(':'))

/** Unique for service, user and session, and valid in a header. */
export const sessionKey = (serviceId: string, user: string, sessionId: string): string =>
  `${serviceId}:${encodeURIComponent(user)}:${encodeURIComponent(sessionId.toWellFormed())}`
