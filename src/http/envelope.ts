import type { Operation } from '../api/operation.ts'
import { Type } from '../api/schema.ts'
import { type AppError, errorCatalogue } from '../domain/errors.ts'

/** The two APIs wrap their answers differently; everything else about them is the same. */
export type ApiName = 'management' | 'dashboards'

export function wrapResult(
  api: ApiName,
  requestId: string,
  result: unknown,
  warnings: readonly string[],
): object {
  if (api === 'dashboards') return { data: result }
  return warnings.length > 0
    ? { status: 200, requestId, result, warnings }
    : { status: 200, requestId, result }
}

/**
 * What a response may contain. It is compiled into its serializer, so a field that is not declared here cannot
 * leave the server, whatever a handler returns.
 */
export function resultSchema(api: ApiName, operation: Operation): object {
  if (api === 'dashboards') return Type.Object({ data: operation.result })
  return Type.Object({
    status: Type.Integer(),
    requestId: Type.String(),
    result: operation.result,
    warnings: Type.Optional(Type.Array(Type.String())),
  })
}

/** Nobody reads more of them, and an answer should not be larger than its request; the text has their number. */
const mostIssues = 1_000

export function wrapError(api: ApiName, requestId: string, error: AppError): object {
  const issues = error.issues.length > 0 ? { issues: error.issues.slice(0, mostIssues) } : {}
  if (api === 'dashboards') return { message: error.message, ...issues }
  const { status } = errorCatalogue[error.code]
  return {
    status,
    error: `${error.code}: ${error.message}`,
    requestId,
    code: error.code,
    ...error.extra,
    ...issues,
  }
}

export const apiOf = (path: string): ApiName => (path.startsWith('/api/') ? 'dashboards' : 'management')
