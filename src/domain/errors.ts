import { formatPath, type Issue } from './issue.ts'

/**
 * Every error that a caller can meet. A test holds `docs/errors.md` and the OpenAPI documents to this table; a
 * code is never reused for another meaning.
 */
export const errorCatalogue = {
  BAD_REQUEST: {
    status: 400,
    retryable: false,
    meaning: 'The request breaks a rule of the interface. `issues` names every wrong field.',
    remedy: 'Correct the named fields and send the request again.',
  },
  UNAUTHORIZED: {
    status: 401,
    retryable: false,
    meaning: 'The credential is missing, unknown, wrong, disabled or expired.',
    remedy: 'Send a valid `Authorization` header: Basic for `/v1`, Bearer for `/api/v2`.',
  },
  FORBIDDEN: {
    status: 403,
    retryable: false,
    meaning:
      'The credential is valid, but lacks the permission named in the text, or may not be used from this address.',
    remedy: 'Use a key whose roles or grants include that permission.',
  },
  NOT_FOUND: {
    status: 404,
    retryable: false,
    meaning: 'Nothing with this id exists, or the credential may not see it.',
    remedy: 'Check the id, and the organization that the credential belongs to.',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    retryable: false,
    meaning: 'The path is not part of the interface.',
    remedy: 'Check the path against `GET /v1` or `/docs`.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    retryable: false,
    meaning: 'The path exists, but not with this method. The `Allow` header lists those that do.',
    remedy: 'Use one of the methods in `Allow`.',
  },
  CONFLICT: {
    status: 409,
    retryable: false,
    meaning:
      'The resource is in a state that does not take this request. `currentState` and `allowedStates` say which, where a state is the reason.',
    remedy: 'Bring the resource into an allowed state first, or read it again and repeat the change.',
  },
  CANCELLED: {
    status: 409,
    retryable: false,
    meaning: 'The query was cancelled while it ran, by its caller or by another one.',
    remedy: 'Send the query again if its result is still wanted.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    retryable: false,
    meaning: 'The resource is not at a version of `If-Match`. The header `ETag` has its version now.',
    remedy: 'Read the resource again, repeat the change on it, and send the new version.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    retryable: false,
    meaning: 'The body is larger than the limit.',
    remedy: 'Send a smaller body.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    retryable: false,
    meaning: 'The body is not declared as `application/json` in UTF-8.',
    remedy: 'Set `Content-Type: application/json`.',
  },
  QUOTA_EXCEEDED: {
    status: 422,
    retryable: false,
    meaning: 'The request is valid, but would exceed a limit of the organization.',
    remedy: 'Remove what is no longer needed; `GET …/quotas` shows limits and use.',
  },
  LIMIT_EXCEEDED: {
    status: 422,
    retryable: false,
    meaning: 'A limit on time, memory or rows ended the query. The text names the limit and its value.',
    remedy: 'Ask for a shorter range or fewer rows, or raise the limit.',
  },
  FAILED_DEPENDENCY: {
    status: 424,
    retryable: true,
    meaning:
      'The service that this request needs does not run. `serviceState` says what it does, `canWake` whether it wakes by itself.',
    remedy: 'Start the service, then repeat the request.',
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    retryable: true,
    meaning:
      'The key has used up its requests of this window, or too many logins from this address have failed.',
    remedy: 'Wait as long as `Retry-After` says.',
  },
  INTERNAL_ERROR: {
    status: 500,
    retryable: true,
    meaning: 'A fault of Granary itself. The log has the detail under the same request id.',
    remedy: 'Repeat the request; if it persists, report the request id.',
  },
  UNAVAILABLE: {
    status: 503,
    retryable: true,
    meaning: 'The server is starting, shutting down, or cannot reach its store.',
    remedy: 'Repeat the request after `Retry-After`.',
  },
  INSUFFICIENT_STORAGE: {
    status: 507,
    retryable: true,
    meaning: 'The disk that the store is on is full. Nothing of the request was done; reads go on.',
    remedy: 'Make room on that disk, then repeat the request.',
  },
} as const satisfies Record<string, { status: number; retryable: boolean; meaning: string; remedy: string }>

export type ErrorCode = keyof typeof errorCatalogue

export interface AppErrorOptions {
  issues?: readonly Issue[]
  /** Further public fields of the answer, for example `currentState`. */
  extra?: Record<string, unknown>
  /** Headers of the answer. */
  headers?: Readonly<Record<string, string | number>>
  /** For the log only. */
  detail?: string
  cause?: unknown
}

/** The one error class: everything that a caller may see is in `message`, `issues` and `extra`. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly issues: readonly Issue[]
  readonly extra: Record<string, unknown>
  readonly headers: Readonly<Record<string, string | number>>
  readonly detail: string | undefined

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.issues = options.issues ?? []
    this.extra = options.extra ?? {}
    this.headers = options.headers ?? {}
    this.detail = options.detail
  }

  get status(): number {
    return errorCatalogue[this.code].status
  }
}

/** A 400 that names each wrong field, in its text as well as in `issues`. */
export function invalid(issues: readonly Issue[]): AppError {
  const shown = issues.slice(0, 20).map((issue) => `${formatPath(issue.path)}: ${issue.message}`)
  if (issues.length > shown.length) shown.push(`and ${issues.length - shown.length} more`)
  return new AppError('BAD_REQUEST', shown.join('; '), { issues })
}

export function notFound(noun: string): AppError {
  return new AppError('NOT_FOUND', `no such ${noun}`)
}

/** Throws if there are any issues. */
export function refuse(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalid(issues)
}
