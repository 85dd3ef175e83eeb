import type { Caller } from '../control/context.ts'
import type { KeyRecord } from '../domain/key/types.ts'
import { type SessionRecord, sessionIdleMs } from '../domain/session/types.ts'
import type { FailedLogins } from '../lib/failed-logins.ts'
import type { AuthDependencies, Credential } from './auth.ts'
import { tooManyFailedLogins } from './rate-limit.ts'
import { createRecentKeys } from './recent-keys.ts'
import { sessionSchemes, unauthorized } from './unauthorized.ts'
import { createUseNotes } from './use-notes.ts'

export interface SessionAuthenticator {
  /** Synchronous for a session seen recently; '' = a cookie that cannot be right. */
  authenticate(secret: string, credential: Credential): Caller | Promise<Caller>
  forget(): void
}

interface Known {
  session: SessionRecord
  key: KeyRecord
}

const maxEnded = 10_000

/**
 * Authenticates by session. The key of the session is held to all that keys are held to, each time. Sessions and keys
 * change together in the cache: what ends a key ends its sessions as soon.
 */
export function createSessionAuthenticator(
  dependencies: AuthDependencies & {
    failures: FailedLogins
    admit(key: KeyRecord, from: Credential): Caller
  },
): SessionAuthenticator {
  const { store, secretBox, clock, failures, admit, onError } = dependencies
  const recent = createRecentKeys<Known>(clock)
  // A secret that no session has will never have one: a page that goes on asking with it costs no look-up, and locks
  // nobody out who signs in from the same address.
  const ended = new Set<string>()
  const touch = (id: string, minuteMs: number) => store.sessions.touch(id, minuteMs, minuteMs + sessionIdleMs)
  const noteUse = createUseNotes({ clock, onError, touch })

  return {
    authenticate(secret, credential) {
      const known = recent.find(secret)
      if (known) return enter(known, credential)
      return identify(secret, credential.ipAddress).then((found) => enter(found, credential))
    },
    forget: recent.forget,
  }

  async function identify(secret: string, address: string): Promise<Known> {
    const keep = recent.begin(secret)
    const hash = secretBox.hash(secret)
    if (secret === '' || ended.has(hash)) throw over()
    const waitMs = failures.waitMs(address, hash)
    if (waitMs > 0) throw tooManyFailedLogins(waitMs)
    const found = await store.sessions.bySecret(hash)
    if (!found) {
      failures.failed(address, hash)
      if (ended.size >= maxEnded) ended.clear()
      ended.add(hash)
      throw over()
    }
    failures.succeeded(hash)
    keep(found)
    return found
  }

  function enter({ session, key }: Known, credential: Credential): Caller {
    if (session.expireAtMs <= clock.now()) throw over()
    const caller = admit(key, credential)
    noteUse(session.id, session.usedAtMs)
    return { ...caller, session }
  }
}

const over = () => unauthorized(sessionSchemes.management, 'the session has ended: sign in again')
