import type { Socket } from 'node:net'
import type { UserRole } from '../domain/service/user.ts'
import type { Clock } from '../lib/clock.ts'
import type { Exchange } from './exchange.ts'

export interface Badge {
  user: string
  role: UserRole
}

/**
 * Who came over a connection a moment ago. A client sends the same headers with each request, and to compare
 * them costs far less than to decode and hash them.
 */
export interface Badges {
  find(exchange: Exchange): Badge | undefined
  give(exchange: Exchange, badge: Badge): void
  forget(): void
}

interface Worn extends Badge {
  authorization: string | null
  sentUser: string
  sentKey: string
  atMs: number
}

export function createBadges({ clock, maxAgeMs }: { clock: Clock; maxAgeMs: number }): Badges {
  let worn = new WeakMap<Socket, Worn>()
  return {
    find({ request, headers, target }) {
      if (target.user !== null || target.password !== null) return undefined
      const badge = worn.get(request.socket)
      if (!badge || clock.now() - badge.atMs >= maxAgeMs) return undefined
      const isSame =
        badge.authorization === headers.authorization &&
        badge.sentUser === headers.user &&
        badge.sentKey === headers.key
      return isSame ? badge : undefined
    },
    give({ request, headers, target }, { user, role }) {
      if (target.user !== null || target.password !== null) return
      const { authorization, user: sentUser, key: sentKey } = headers
      worn.set(request.socket, { user, role, authorization, sentUser, sentKey, atMs: clock.now() })
    },
    forget() {
      worn = new WeakMap()
    },
  }
}
