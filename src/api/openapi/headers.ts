import type { OpenApiHeader } from './types.ts'

export const rateHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const
export const pagingHeaders = ['X-Next-Cursor'] as const
export const deprecationHeaders = ['Deprecation', 'Link'] as const

/** Every header that answers carry beyond those of HTTP itself. */
export const headers: Record<string, OpenApiHeader> = {
  Deprecation: {
    description: 'Since when this is discouraged: `@` and seconds since 1970 (RFC 9745).',
    schema: { type: 'string', examples: ['@1735689600'] },
  },
  ETag: {
    description: 'The version of the resource in quotes, for `If-Match`.',
    schema: { type: 'string', examples: ['"3"'] },
  },
  Link: {
    description: 'What to use instead, with `rel="successor-version"`.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the request is repeated.',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'The kind of credential that is expected.',
    schema: { type: 'string' },
  },
  'X-Next-Cursor': {
    description: 'The `cursor` of the next page; absent on the last one.',
    schema: { type: 'string' },
  },
  'X-RateLimit-Limit': {
    description: 'Requests that the key may make in a window.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in this window.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Reset': {
    description: 'Seconds until the next window begins.',
    schema: { type: 'integer', minimum: 1 },
  },
  'X-Request-Id': {
    description: 'The request, as logs and the audit trail name it.',
    schema: { type: 'string', format: 'uuid' },
  },
}
