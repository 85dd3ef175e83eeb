import type { Socket } from 'node:net'
import type { UserRole } from '../../domain/service/user.ts'
import type { Clock } from '../../lib/clock.ts'
import type { HttpExchange } from './http-exchange.ts'

export interface LoggedIn {
  user: string
  role: UserRole
}

/**
 * The recent logins of each connection. A client sends the same headers with each request, and comparing them
 * costs far less than decoding and hashing them.
 */
export interface ConnectionLogins {
  /** `epoch` is the service's, see login-epochs.ts: logins that were noted in another epoch no longer count. */
  find(exchange: HttpExchange, epoch: string): LoggedIn | undefined
  note(exchange: HttpExchange, epoch: string, login: LoggedIn): void
}

interface NotedLogin extends LoggedIn {
  authorization: string | null
  sentUser: string
  sentKey: string
  epoch: string
  atMs: number
}

export function createConnectionLogins({
  clock,
  maxAgeMs,
}: {
  clock: Clock
  maxAgeMs: number
}): ConnectionLogins {
  const noted = new WeakMap<Socket, NotedLogin>()
  return {
    find({ request, headers, target }, epoch) {
      if (target.user !== null || target.password !== null) return undefined
      const login = noted.get(request.socket)
      if (login?.epoch !== epoch || clock.now() - login.atMs >= maxAgeMs) return undefined
      const isSame =
        login.authorization === headers.authorization &&
        login.sentUser === headers.user &&
        login.sentKey === headers.key
      return isSame ? login : undefined
    },
    note({ request, headers, target }, epoch, { user, role }) {
      if (target.user !== null || target.password !== null) return
      const { authorization, user: sentUser, key: sentKey } = headers
      noted.set(request.socket, { user, role, authorization, sentUser, sentKey, epoch, atMs: clock.now() })
    },
  }
}
