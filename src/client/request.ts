import type { AnyInput } from './call-types.ts'
import { localError } from './client-error.ts'

/** The key is for `/v1`, the token for `/api/v2`; a call whose credential is missing fails before it is sent. */
export interface Credentials {
  keyId?: string
  keySecret?: string
  dashboardToken?: string
}

/** The browser adds the cookie of its session by itself. */
export const bySession = 'session'

/** Checks the address once, so that later error messages need not repeat it: it may contain a secret. */
export function parseBase(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw localError('BAD_CALL', 'the address of the server must be an http or https URL')
  }
  if (parsed.username || parsed.password) {
    throw localError('BAD_CALL', 'the address of the server must not contain credentials')
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`
}

export function fillPath(
  template: string,
  params: Record<string, string | undefined>,
  query: AnyInput['query'] = {},
): string {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? ''
    // URLs resolve dot segments, even encoded ones: the request would go to another path.
    if (value === '' || value === '.' || value === '..') {
      throw localError('BAD_CALL', `${name} is missing or not an id`)
    }
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  return search.size > 0 ? `${path}?${search}` : path
}

export function joinUrl(base: string, path: string): string {
  const url = `${base}${path}`
  // `@` or `//` at the start of a path would otherwise name another host, which must not get the credential.
  if (!path.startsWith('/') || !URL.canParse(url) || new URL(url).origin !== new URL(base).origin) {
    throw localError('BAD_CALL', 'the path must begin with / and stay on the server')
  }
  return url
}

/** Basic for the management API, Bearer for the dashboard API, nothing for the open pages. */
export function authorization(
  path: string,
  credentials: Credentials | typeof bySession,
): { authorization?: string } {
  if (credentials === bySession) return {}
  const { keyId, keySecret, dashboardToken } = credentials
  if (path.startsWith('/api/')) {
    if (!dashboardToken) throw localError('NO_CREDENTIAL', 'this call needs a dashboard token')
    // fetch would refuse the token too, but with the token in its message.
    if (!/^[\x21-\x7e]+$/.test(dashboardToken)) {
      throw localError('BAD_CALL', 'the dashboard token contains characters that no token has')
    }
    return { authorization: `Bearer ${dashboardToken}` }
  }
  if (path.startsWith('/v1/')) {
    if (!keyId || !keySecret)
      throw localError('NO_CREDENTIAL', 'this call needs a key: its id and its secret')
    return { authorization: `Basic ${base64(`${keyId}:${keySecret}`)}` }
  }
  return {}
}

/** Base64 of the UTF-8 bytes, without Node's Buffer, so that it works in browsers. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
