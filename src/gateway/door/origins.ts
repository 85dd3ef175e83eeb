import type { RequestHeaders } from '../exchange/request-headers.ts'

/**
 * Whether a page may send statements to an endpoint: a page of the endpoint's own origin, or of an origin on
 * the list (`*` = all). A browser adds a remembered password to the request of any page, and names the page's
 * origin in `Origin`. GET needs no such check: it changes nothing, and no other page sees the answer.
 */
export function createOriginCheck(allowed: readonly string[]) {
  return ({ origin, host }: Pick<RequestHeaders, 'origin' | 'host'>): boolean =>
    origin === null || isSame(origin, host) || allowed.includes(origin.toLowerCase()) || allowed.includes('*')
}

function isSame(origin: string, host: string): boolean {
  try {
    const { protocol, host: ofOrigin } = new URL(origin)
    // Normalizes the host like the origin: without the default port, in lower case.
    return ofOrigin !== '' && new URL(`${protocol}//${host}`).host === ofOrigin
  } catch {
    // For example `null`, the origin of a page in a sandbox or from a file.
    return false
  }
}
