/**
 * Sessions live in one replica each. Where the service has a writer they live there; else this keeps which
 * replica a session began on. Bounded: the session that was used longest ago is forgotten first.
 */
export interface Sessions {
  /** The id of the replica, or ''. */
  find(key: string): string
  note(key: string, replicaId: string): void
}

const maxSessions = 10_000

export function createSessions(): Sessions {
  const places = new Map<string, string>()
  return {
    find: (key) => places.get(key) ?? '',
    note(key, replicaId) {
      places.delete(key)
      if (places.size >= maxSessions) {
        const { value: oldest, done } = places.keys().next()
        if (!done) places.delete(oldest)
      }
      places.set(key, replicaId)
    },
  }
}

/** Unique for service, user and session, and fit for a header. */
export const sessionKey = (serviceId: string, user: string, sessionId: string): string =>
  `${serviceId}:${encodeURIComponent(user)}:${encodeURIComponent(sessionId.toWellFormed())}`
