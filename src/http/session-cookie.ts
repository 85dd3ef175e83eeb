import { sessionSecretLength } from '../domain/session/types.ts'

/**
 * The cookie of a session. Without `Domain` it goes back to this host only, so a page whose name was made to lead here
 * (DNS rebinding) does not have it. Hosts have no ports for cookies: what listens on another port of this host gets it
 * too.
 */
const name = 'granary_session'
const secretForm = new RegExp(`^[A-Za-z0-9]{${sessionSecretLength}}$`)

/** The store decides when a session ends, so the browser keeps the cookie for as long as browsers keep any: 400 days. */
const maxAgeSeconds = 400 * 24 * 60 * 60

export const cookieOf = (secret: string, isSecure: boolean): string =>
  `${name}=${secret}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`

export const clearedCookie = (isSecure: boolean): string =>
  `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`

/**
 * The secret in a `Cookie` header; null = the header has none, '' = it has one that cannot be right. Two different ones
 * are refused: the second may have been planted by another application of this host.
 */
export function secretOf(header: string | undefined): string | null {
  if (!header?.includes(name)) return null
  let secret: string | null = null
  for (const part of header.split(';')) {
    const [given = '', ...value] = part.trim().split('=')
    if (given !== name) continue
    const text = value.join('=')
    if (secret !== null && secret !== text) return ''
    secret = text
  }
  return secret === null || secretForm.test(secret) ? secret : ''
}
