import { isSameOrigin } from '../../lib/same-origin.ts'
import type { RequestHeaders } from '../exchange/request-headers.ts'

/**
 * Whether a page may send statements to an endpoint: a page of the endpoint's own origin, or of an origin on
 * the list (`*` = all). A browser adds a remembered password to the request of any page, and names the page's
 * origin in `Origin`. GET needs no such check: it changes nothing, and no other page sees the answer.
 */
export function createOriginCheck(allowed: readonly string[]) {
  return ({ origin, host }: Pick<RequestHeaders, 'origin' | 'host'>): boolean =>
    origin === null ||
    isSameOrigin(origin, host) ||
    allowed.includes(origin.toLowerCase()) ||
    allowed.includes('*')
}
