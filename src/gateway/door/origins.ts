import type { RequestHeaders } from '../exchange/request-headers.ts'

/**
 * Whether a page may send statements to an endpoint: one of the endpoint's own origin, or of an origin on the list
 * (`*` = every one). A browser adds a password that it remembers to the request of any page, and tells by `Origin`
 * whose page it is. GET needs no such check: it changes nothing, and no other page sees the answer.
 */
export function createOriginCheck(allowed: readonly string[]) {
  return ({ origin, host }: Pick<RequestHeaders, 'origin' | 'host'>): boolean =>
    origin === null || isSame(origin, host) || allowed.includes(origin.toLowerCase()) || allowed.includes('*')
}

function isSame(origin: string, host: string): boolean {
  try {
    const { protocol, host: ofOrigin } = new URL(origin)
    // So that both are written in the same way: without the usual port, in small letters.
    return ofOrigin !== '' && new URL(`${protocol}//${host}`).host === ofOrigin
  } catch {
    // Such as `null`, which a page in a sandbox or from a file has.
    return false
  }
}
