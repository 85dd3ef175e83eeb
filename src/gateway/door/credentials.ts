import type { RequestHeaders } from '../exchange/request-headers.ts'
import type { RequestTarget } from '../exchange/request-target.ts'

export interface Credentials {
  user: string
  password: string
}

/**
 * Reads the credentials of a request in ClickHouse's ways: `X-ClickHouse-User` and `-Key`, the parameters
 * `user` and `password`, or Basic. As in ClickHouse, its own headers exclude the others, and parameters win
 * over `Authorization`, because a browser adds that by itself. A request without credentials is `default`
 * without a password.
 */
export function readCredentials(
  headers: Pick<RequestHeaders, 'authorization' | 'user' | 'key'>,
  target: Pick<RequestTarget, 'user' | 'password'>,
): Credentials | { problem: string } {
  const hasParameters = target.user !== null || target.password !== null
  const authorization = hasParameters || headers.authorization === 'never' ? null : headers.authorization
  if (headers.user !== '' || headers.key !== '') {
    if (authorization !== null) return mixed('X-ClickHouse HTTP headers', 'Authorization HTTP header')
    if (hasParameters) return mixed('X-ClickHouse HTTP headers', 'authentication via parameters')
    return named(headers.user, headers.key, 'X-ClickHouse HTTP headers')
  }
  if (authorization !== null) return readBasic(authorization)
  return named(target.user ?? 'default', target.password ?? '', 'authentication via parameters')
}

function readBasic(authorization: string): Credentials | { problem: string } {
  const [, scheme = '', encoded = ''] = /^(\S*) *(.*)$/s.exec(authorization.trim()) ?? []
  if (scheme.toLowerCase() !== 'basic') {
    const shown = scheme.slice(0, 32)
    return { problem: `Invalid authentication: '${shown}' HTTP Authorization scheme is not supported` }
  }
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  const user = colon < 0 ? decoded : decoded.slice(0, colon)
  return named(user, colon < 0 ? '' : decoded.slice(colon + 1), 'Authorization HTTP header')
}

const named = (user: string, password: string, method: string) =>
  user === '' ? { problem: `Got an empty user name from ${method}` } : { user, password }

const mixed = (one: string, other: string) => ({
  problem: `Invalid authentication: it is not allowed to use ${one} and ${other} simultaneously`,
})
