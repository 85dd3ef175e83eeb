import type { Socket } from 'node:net'
import type { UserRole } from '../../domain/service/user.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Exchange } from '../exchange/exchange.ts'

export interface LoggedIn {
  user: string
  role: UserRole
}

/**
 * Who came over a connection a moment ago. A client sends the same headers with each request, and to compare
 * them costs far less than to decode and hash them.
 */
export interface ConnectionLogins {
  find(exchange: Exchange): LoggedIn | undefined
  note(exchange: Exchange, login: LoggedIn): void
  forget(): void
}

interface NotedLogin extends LoggedIn {
  authorization: string | null
  sentUser: string
  sentKey: string
  atMs: number
}

export function createConnectionLogins({
  clock,
  maxAgeMs,
}: {
  clock: Clock
  maxAgeMs: number
}): ConnectionLogins {
  let noted = new WeakMap<Socket, NotedLogin>()
  return {
    find({ request, headers, target }) {
      if (target.user !== null || target.password !== null) return undefined
      const login = noted.get(request.socket)
      if (!login || clock.now() - login.atMs >= maxAgeMs) return undefined
      const isSame =
        login.authorization === headers.authorization &&
        login.sentUser === headers.user &&
        login.sentKey === headers.key
      return isSame ? login : undefined
    },
    note({ request, headers, target }, { user, role }) {
      if (target.user !== null || target.password !== null) return
      const { authorization, user: sentUser, key: sentKey } = headers
      noted.set(request.socket, { user, role, authorization, sentUser, sentKey, atMs: clock.now() })
    },
    forget() {
      noted = new WeakMap()
    },
  }
}
