import type { Issue } from '../../../src/domain/issue.ts'

export type { Issue }

export interface ApiErrorDetails {
  /** HTTP status; 0 = there was no answer. */
  status: number
  issues?: readonly Issue[]
  requestId?: string
  extra?: Record<string, unknown>
}

/** What the server answered instead of a result, or that it did not answer: the only error that calls throw. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly issues: readonly Issue[]
  /** '' when there was no answer. */
  readonly requestId: string
  /** Further fields of the answer, for example `currentState`. */
  readonly extra: Record<string, unknown>

  constructor(code: string, message: string, details: ApiErrorDetails) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.status = details.status
    this.issues = details.issues ?? []
    this.requestId = details.requestId ?? ''
    this.extra = details.extra ?? {}
  }

  /** Nothing answered, or a proxy without a server behind it did: the same call may succeed later. */
  get isAway(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 504
  }
}

/** The error for an answer of 400 and above, from either API or from a proxy in between. */
export function errorOfAnswer(status: number, headerId: string, text: string): ApiError {
  const body = objectOf(text)
  if (!body)
    return new ApiError(`HTTP_${status}`, `The server answered ${status} without a reason.`, { status })
  const { status: _, error, message, requestId, code: bodyCode, issues, ...extra } = body
  const code = typeof bodyCode === 'string' ? bodyCode : `HTTP_${status}`
  const said = typeof error === 'string' ? error : typeof message === 'string' ? message : `status ${status}`
  return new ApiError(code, said.startsWith(`${code}: `) ? said.slice(code.length + 2) : said, {
    status,
    requestId: typeof requestId === 'string' ? requestId : headerId,
    issues: Array.isArray(issues) ? issues.filter(isIssue) : [],
    extra,
  })
}

/** Whatever was thrown, as an error that can be shown. */
export const toApiError = (thrown: unknown): ApiError =>
  thrown instanceof ApiError
    ? thrown
    : new ApiError('CONSOLE_FAULT', thrown instanceof Error ? thrown.message : String(thrown), { status: 0 })

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

function isIssue(value: unknown): value is Issue {
  const issue = value as Partial<Issue> | null
  return typeof issue === 'object' && Array.isArray(issue?.path) && typeof issue.message === 'string'
}
