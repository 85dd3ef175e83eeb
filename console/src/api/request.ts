import type { Route } from '../../../src/api/routes.ts'
import { ApiError } from './api-error.ts'
import type { AnyInput } from './operations.ts'

/** The path and body of a call. The organization is the session's own unless the call names one. */
export function requestOf(
  { method, path, takesBody }: Pick<Route, 'method' | 'path' | 'takesBody'>,
  { params = {}, query = {}, body }: AnyInput,
  organizationId: string,
): { method: string; url: string; body?: string } {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? (name === 'organizationId' ? organizationId : '')
    // A URL resolves dot segments, even encoded ones: the request would go to another path.
    if (value === '' || value === '.' || value === '..') {
      throw new ApiError('BAD_CALL', `${name} is missing`, { status: 0 })
    }
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  return {
    method,
    url: search.size > 0 ? `${url}?${search}` : url,
    ...(takesBody ? { body: JSON.stringify(body ?? {}) } : {}),
  }
}
