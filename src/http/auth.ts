import { hash } from 'node:crypto'
import type { Caller } from '../control/context.ts'
import { AppError, notFound } from '../domain/errors.ts'
import { access, type Permission } from '../domain/key/permissions.ts'
import type { KeyKind, KeyRecord } from '../domain/key/types.ts'
import type { Clock } from '../lib/clock.ts'
import { createFailedLogins } from '../lib/failed-logins.ts'
import { isUuid } from '../lib/ids.ts'
import { createIpMatcher } from '../lib/ip-list.ts'
import type { SecretBox } from '../store/secret-box.ts'
import type { Store, StoredKey } from '../store/store.ts'
import { tooManyFailedLogins } from './rate-limit.ts'
import { createRecentKeys } from './recent-keys.ts'
import { createSessionAuthenticator, type SessionAuthenticator } from './session-auth.ts'
import { type Scheme, schemes, sessionSchemes, unauthorized } from './unauthorized.ts'
import { createUseNotes } from './use-notes.ts'

export interface Credential {
  authorization: string | undefined
  ipAddress: string
  userAgent: string
  requestId: string
}

export interface Authenticator {
  /** Synchronous for a recently seen caller. Throws, or rejects, when the credential is not accepted. */
  authenticate(kind: KeyKind, credential: Credential): Caller | Promise<Caller>
  readonly sessions: Pick<SessionAuthenticator, 'authenticate'>
  /** A key changed, so cached keys are dropped. */
  forget(): void
}

export interface AuthDependencies {
  store: Store
  secretBox: SecretBox
  clock: Clock
  onError(error: unknown): void
}

/**
 * Authenticates callers. Every problem with a credential gives 401; the reason is given only as far as it helps
 * the owner. An address that sent many unknown or wrong credentials gets 429 for a while.
 */
export function createAuthenticator({ store, secretBox, clock, onError }: AuthDependencies): Authenticator {
  const noteUse = createUseNotes({ clock, onError, touch: (id, minuteMs) => store.keys.touch(id, minuteMs) })
  const mayUseFrom = createMatcherCache()
  const recent = createRecentKeys(clock)
  const failures = createFailedLogins(clock)
  // Compared against when the key is unknown, so that an unknown key takes as long as a wrong secret.
  const nobody = secretBox.hash('nobody')
  const sessions = createSessionAuthenticator({
    ...{ store, secretBox, clock, onError, failures },
    admit: (key, credential) => admit(sessionSchemes[key.kind], key, credential),
  })

  return {
    authenticate(kind, credential) {
      const { authorization = '' } = credential
      const known = recent.find(authorization)
      if (known?.kind === kind) return admit(schemes[kind], known, credential)
      return identify(kind, authorization, credential.ipAddress).then((key) =>
        admit(schemes[kind], key, credential),
      )
    },
    sessions,
    forget() {
      recent.forget()
      sessions.forget()
    },
  }

  async function identify(kind: KeyKind, authorization: string, address: string): Promise<StoredKey> {
    const keep = recent.begin(authorization)
    const given = kind === 'management' ? parseBasic(authorization) : parseBearer(authorization)
    if (!given) throw unauthorized(schemes[kind], `send the header Authorization: ${schemes[kind].example}`)
    const digest = hash('sha256', authorization, 'base64')
    const waitMs = failures.waitMs(address, digest)
    if (waitMs > 0) throw tooManyFailedLogins(waitMs)
    const lookup = kind === 'management' ? given.keyId : secretBox.hash(given.secret)
    const key = await store.keys.byLookup(lookup)
    const matches = secretBox.matches(given.secret, key?.secretHash ?? nobody)
    if (!key || !matches || key.kind !== kind) {
      failures.failed(address, digest)
      throw unauthorized(schemes[kind], `the ${schemes[kind].noun} is unknown or wrong`)
    }
    failures.succeeded(digest)
    keep(key)
    return key
  }

  function admit(scheme: Scheme, key: KeyRecord, { ipAddress, userAgent, requestId }: Credential): Caller {
    const { noun } = scheme
    if (key.state !== 'enabled') throw unauthorized(scheme, `the ${noun} is disabled`)
    if (key.expireAtMs !== null && key.expireAtMs <= clock.now())
      throw unauthorized(scheme, `the ${noun} has expired`)
    if (!mayUseFrom(key, ipAddress)) {
      throw new AppError('FORBIDDEN', `the ${noun} may not be used from this address`)
    }
    noteUse(key.id, key.usedAtMs)
    return { key, ipAddress, userAgent, requestId }
  }
}

/**
 * Throws unless the caller has the permission: 403 names the missing one, 404 hides resources it may not know
 * of.
 */
export function authorize(
  caller: Caller,
  permission: Permission,
  params: { organizationId?: string; serviceId?: string },
): void {
  const { organizationId } = params
  // A malformed id is left to validation, which answers 400.
  const isOther = organizationId !== undefined && organizationId.toLowerCase() !== caller.key.organizationId
  if (isOther && isUuid(organizationId)) throw notFound('organization')
  const answer = access(caller.key, permission, params.serviceId?.toLowerCase())
  if (answer === 'allowed') return
  if (answer === 'hidden') throw notFound('service')
  throw new AppError('FORBIDDEN', `this needs the permission ${permission}, which the key does not have`, {
    extra: { permission },
  })
}

interface Given {
  keyId: string
  secret: string
}

function parseBasic(header: string): Given | null {
  const [, encoded] = /^basic +([a-z0-9+/]+={0,2})$/i.exec(header) ?? []
  if (encoded === undefined) return null
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  if (colon <= 0 || decoded.includes('\0')) return null
  return { keyId: decoded.slice(0, colon), secret: decoded.slice(colon + 1) }
}

function parseBearer(header: string): Given | null {
  const [, token] = /^bearer +([\x21-\x7e]{1,512})$/i.exec(header) ?? []
  return token === undefined ? null : { keyId: '', secret: token }
}

/**
 * Building a matcher costs far more than using it, and callers use the same address again and again. The
 * matcher and its last result are cached as long as the key's address list is.
 */
function createMatcherCache(): (key: KeyRecord, address: string) => boolean {
  const known = new WeakMap<object, { matches(address: string): boolean; address: string; answer: boolean }>()
  return ({ ipAccessList }, address) => {
    const last = known.get(ipAccessList)
    if (last?.address === address) return last.answer
    const matches = last?.matches ?? createIpMatcher(ipAccessList.map((entry) => entry.source))
    const answer = matches(address)
    known.set(ipAccessList, { matches, address, answer })
    return answer
  }
}
