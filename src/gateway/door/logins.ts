import { hash } from 'node:crypto'
import type { UserRole } from '../../domain/service/user.ts'
import type { Clock } from '../../lib/clock.ts'
import { createFailedLogins } from '../../lib/failed-logins.ts'
import type { GatewayLookups } from '../lookups.ts'
import { createRecent } from '../routing/recent.ts'
import { createConnectionLogins, type LoggedIn } from './connection-logins.ts'
import { type Credentials, readCredentials } from './credentials.ts'
import type { HttpExchange } from './http-exchange.ts'
import { createLoginEpochs } from './login-epochs.ts'

/**
 * Authenticates requests. Correct passwords are remembered for a moment, so that a busy client costs no
 * lookup for each query; a change of users or passwords in this process ends that at once. Wrong passwords
 * are rate-limited by address.
 */
export interface Logins {
  check(serviceId: string, exchange: HttpExchange): Login | Promise<Login>
  /** Forgets the logins of this service. */
  forget(serviceId: string): void
  forgetAll(): void
}

export type Login = LoggedIn | { problem: string } | { retryAfterMs: number }

/** Two caches of this age follow each other, so a change by another process is seen within a second. */
const maxAgeMs = 500
const staleMs = 30_000
const maxEntries = 10_000

/** The form of every user name; any other name would not fit into a header. */
const nameForm = /^[\x21-\x7e]{1,256}$/

export function createLogins({
  clock,
  lookups,
}: {
  clock: Clock
  lookups: Pick<GatewayLookups, 'verifyPassword'>
}): Logins {
  const connections = createConnectionLogins({ clock, maxAgeMs })
  const recent = createRecent<{ role: UserRole } | null>({
    clock,
    maxAgeMs,
    staleMs,
    maxEntries,
    keep: (found) => found !== null,
  })
  const failures = createFailedLogins(clock)
  const epochs = createLoginEpochs()

  return {
    check(serviceId, exchange) {
      const login = connections.find(exchange, epochs.of(serviceId))
      if (login) return login
      const credentials = readCredentials(exchange.headers, exchange.target)
      if ('problem' in credentials) return credentials
      return nameForm.test(credentials.user) ? verify(serviceId, exchange, credentials) : wrong(credentials)
    },
    forget: epochs.end,
    forgetAll: epochs.endAll,
  }

  async function verify(serviceId: string, exchange: HttpExchange, credentials: Credentials): Promise<Login> {
    const { user, password } = credentials
    // Only this hash of the password stays in memory.
    const key = hash('sha256', `${serviceId}\0${user}\0${password}`, 'base64')
    const retryAfterMs = failures.waitMs(exchange.address, key)
    if (retryAfterMs > 0) return { retryAfterMs }
    const epoch = epochs.of(serviceId)
    const found = await recent.get(`${epoch} ${key}`, () => lookups.verifyPassword(serviceId, user, password))
    if (found === null) {
      failures.failed(exchange.address, key)
      return wrong(credentials)
    }
    failures.succeeded(key)
    const login = { user, role: found.role }
    connections.note(exchange, epoch, login)
    return login
  }
}

const wrong = ({ user }: Credentials) => ({
  problem: `${user.slice(0, 100)}: Authentication failed: password is incorrect, or there is no user with such name`,
})
