import { errorCatalogue } from '../domain/errors.ts'
import type { Issue } from '../domain/issue.ts'

/** Errors before the API answers, or in how it answers. */
export type LocalCode =
  /** Nothing answers at the address. */
  | 'UNREACHABLE'
  | 'TIMEOUT'
  /** The answer began, but the connection ended before the answer did. */
  | 'BROKEN_OFF'
  /** Something answers, but it is not Granary. */
  | 'BAD_ANSWER'
  /** The call needs a key or token that the client was not given. */
  | 'NO_CREDENTIAL'
  /** The call cannot be turned into a request. */
  | 'BAD_CALL'

export interface ClientErrorOptions {
  /** HTTP status; absent when there was no answer. */
  status?: number
  issues?: readonly Issue[]
  requestId?: string
  extra?: Record<string, unknown>
  cause?: unknown
}

/** The only error class of the client. It never holds a credential or a request body. */
export class ClientError extends Error {
  /** 0 when there was no answer. */
  readonly status: number
  /** A code of the error catalogue, or a local one. */
  readonly code: string
  readonly issues: readonly Issue[]
  /** '' when there was no answer. */
  readonly requestId: string
  /** Further fields of the answer, for example `currentState`. */
  readonly extra: Record<string, unknown>

  constructor(code: string, message: string, options: ClientErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'ClientError'
    this.status = options.status ?? 0
    this.code = code
    this.issues = options.issues ?? []
    this.requestId = options.requestId ?? ''
    this.extra = options.extra ?? {}
  }
}

/** A local error; the type admits only known codes. */
export const localError = (code: LocalCode, message: string, options?: ClientErrorOptions): ClientError =>
  new ClientError(code, message, options)

/** The error for an answer of 400 and above, from either API or from a proxy in between. */
export function errorOfAnswer(status: number, headers: Headers, text: string): ClientError {
  const body = parseObject(text)
  const requestId = headers.get('x-request-id') ?? ''
  if (!body) {
    return new ClientError(codeOfStatus(status), `the answer is ${status} without a reason`, {
      status,
      requestId,
    })
  }
  const { status: _, error, message, requestId: bodyId, code: bodyCode, issues, ...extra } = body
  const code = typeof bodyCode === 'string' ? bodyCode : codeOfStatus(status)
  const said = typeof error === 'string' ? error : typeof message === 'string' ? message : `status ${status}`
  return new ClientError(code, said.startsWith(`${code}: `) ? said.slice(code.length + 2) : said, {
    status,
    requestId: typeof bodyId === 'string' ? bodyId : requestId,
    issues: Array.isArray(issues) ? issues.filter(isIssue) : [],
    extra,
  })
}

/** The dashboard API answers without a code; the first catalogue entry with that status is used. */
function codeOfStatus(status: number): string {
  const found = Object.entries(errorCatalogue).find(([, entry]) => entry.status === status)
  return found?.[0] ?? `HTTP_${status}`
}

function parseObject(text: string): Record<string, unknown> | null {
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
