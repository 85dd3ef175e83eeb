import type { FastifyRequest } from 'fastify'
import type { Operation } from '../api/operation.ts'
import type { BodyOf } from '../api/operations.ts'
import type { Caller } from '../control/context.ts'
import { AppError, invalid } from '../domain/errors.ts'
import type { Issue } from '../domain/issue.ts'
import type { KeyKind } from '../domain/key/types.ts'
import type { Authenticator, Credential } from './auth.ts'
import { requireSameOrigin } from './same-origin.ts'
import { secretOf } from './session-cookie.ts'
import { sessionSchemes, Unauthorized, unauthorized } from './unauthorized.ts'

/** Who sends a request that has no `Authorization` header: by the cookie of a session, or nobody. */
export function callerBySession(
  authenticator: Authenticator,
  { credential: takes }: Operation,
  kind: KeyKind,
  request: FastifyRequest,
): Caller | Promise<Caller> {
  const secret = secretOf(request.headers.cookie)
  if (secret !== null) {
    requireSameOrigin(request)
    return authenticator.sessions.authenticate(secret, credentialOf(request))
  }
  // A browser would answer the challenge of a key by asking its user for a password.
  if (takes === 'any' || 'sec-fetch-site' in request.headers)
    throw unauthorized(sessionSchemes[kind], 'sign in, or send a key in the header Authorization')
  return authenticator.authenticate(kind, credentialOf(request))
}

/** Sessions of management keys reach both APIs, those of dashboard tokens only theirs. */
export function requireReach({ credential }: Operation, kind: KeyKind, { session, key }: Caller): void {
  if (!session || credential === 'any' || kind === key.kind || key.kind === 'management') return
  throw new AppError('FORBIDDEN', 'the session of a dashboard token reaches /api/v2 only')
}

/** Which kind of key an operation that takes any is asked with. */
export const kindOf = (authorization: string): KeyKind =>
  /^bearer /i.test(authorization) ? 'dashboard' : 'management'

/** Checks the key or token in a body exactly as if it had come in the header: limits and timing are the same. */
export async function signIn(
  authenticator: Authenticator,
  request: FastifyRequest,
  body: BodyOf<'session.create'>,
): Promise<Caller> {
  try {
    const { kind, authorization } = readBody(body)
    return await authenticator.authenticate(kind, { ...credentialOf(request), authorization })
  } catch (error) {
    throw error instanceof Unauthorized ? unauthorized(sessionSchemes.management, error.message) : error
  }
}

function readBody({ keyId, keySecret, token }: BodyOf<'session.create'>) {
  if (token === undefined && keyId !== undefined && keySecret !== undefined) {
    const encoded = Buffer.from(`${keyId}:${keySecret}`).toString('base64')
    return { kind: 'management', authorization: `Basic ${encoded}` } as const
  }
  if (token !== undefined && keyId === undefined && keySecret === undefined)
    return { kind: 'dashboard', authorization: `Bearer ${token}` } as const
  const issue = (field: string, code: Issue['code'], message: string): Issue => ({
    ...{ path: [field], code, message },
  })
  if (token !== undefined)
    throw invalid([issue('token', 'not_allowed', 'cannot be sent together with a key')])
  throw invalid([
    ...(keyId === undefined ? [issue('keyId', 'required', 'is required, unless token is sent')] : []),
    ...(keySecret === undefined ? [issue('keySecret', 'required', 'is required, unless token is sent')] : []),
  ])
}

export function credentialOf(request: FastifyRequest): Credential {
  const { authorization, 'user-agent': userAgent = '' } = request.headers
  return { authorization, ipAddress: request.ip, userAgent: userAgent.slice(0, 512), requestId: request.id }
}
