import type { FastifyRequest } from 'fastify'
import { AppError } from '../domain/errors.ts'
import { isSameOrigin } from '../lib/same-origin.ts'

/**
 * A browser adds the cookie of a session to requests of every page on this host, whatever its port. So a request by
 * session must come from a page of this origin: browsers say so in `Sec-Fetch-Site`, and over plain HTTP only in
 * `Origin`. A read without either is let through, since no other page can see its answer: no CORS header is ever sent.
 */
export function requireSameOrigin(request: FastifyRequest): void {
  const { 'sec-fetch-site': site, origin } = request.headers
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (site !== undefined) {
    // `none` is an address that a person typed or a bookmark.
    if (site === 'same-origin' || (isRead && site === 'none')) return
  } else if (origin === undefined ? isRead : isSameOrigin(origin, request.host)) return
  throw new AppError('FORBIDDEN', 'a request with a session must come from a page of this server')
}

/** Signing in needs no session, so programs may do it; a page of another origin may not. */
export function refuseOtherOrigins(request: FastifyRequest): void {
  const { 'sec-fetch-site': site, origin } = request.headers
  if (site !== undefined || origin !== undefined) requireSameOrigin(request)
}
