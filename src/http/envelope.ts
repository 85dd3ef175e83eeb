import { type AppError, errorCatalogue } from '../domain/errors.ts'

/** The two APIs differ only in how they wrap their answers. */
export type ApiName = 'management' | 'dashboards'

/** The answer as text; the result is already JSON. */
export function wrapResult(
  api: ApiName,
  requestId: string,
  result: string,
  warnings: readonly string[],
  /** JSON as well; '' = none. */
  meta = '',
): string {
  if (api === 'dashboards') return meta === '' ? `{"data":${result}}` : `{"data":${result},"meta":${meta}}`
  const also = warnings.length > 0 ? `,"warnings":${JSON.stringify(warnings)}` : ''
  return `{"status":200,"requestId":"${requestId}","result":${result}${also}}`
}

/** Keeps an answer from growing larger than its request; the error's text has the total number. */
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
