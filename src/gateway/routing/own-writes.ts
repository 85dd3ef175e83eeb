import type { Clock } from '../../lib/clock.ts'

/**
 * Which client wrote a moment ago, and to which replica: until every replica has seen the write, the client
 * reads from there. Bounded: when too many clients write at once, the oldest entries are dropped.
 */
export interface OwnWrites {
  /** The id of the replica, or '' when the client may read anywhere. */
  find(client: Client): string
  note(client: Client, replicaId: string): void
}

export interface Client {
  serviceId: string
  user: string
  address: string
  userAgent: string
}

const maxClients = 10_000

export function createOwnWrites({ clock, lagMs }: { clock: Clock; lagMs(): number }): OwnWrites {
  const last = new Map<string, { replicaId: string; atMs: number }>()
  return {
    find(client) {
      if (last.size === 0) return ''
      const key = keyOf(client)
      const write = last.get(key)
      if (!write) return ''
      if (clock.now() - write.atMs < lagMs()) return write.replicaId
      last.delete(key)
      return ''
    },
    note(client, replicaId) {
      const key = keyOf(client)
      last.delete(key)
      if (last.size >= maxClients) {
        const { value: oldest, done } = last.keys().next()
        if (!done) last.delete(oldest)
      }
      last.set(key, { replicaId, atMs: clock.now() })
    },
  }
}

const keyOf = ({ serviceId, user, address, userAgent }: Client): string =>
  `${serviceId} ${user} ${address} ${userAgent}`
