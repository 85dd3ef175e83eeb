import { AppError } from '../domain/errors.ts'
import type { Issue } from '../domain/issue.ts'
import type { QueryError } from '../gateway/internal/query-error.ts'
import { type Position, positionOf } from './position.ts'

/** A statement that failed, with the status that its replica or the gateway answered. */
export interface Failure {
  error: QueryError
  /** 0 = the answer had begun. */
  status: number
}

// ClickHouse's codes.
const readOnly = 164
const sameId = 216
const cancelled = new Set([394, 734])
const limits = new Set([158, 159, 160, 241, 307, 396])
const syntax = 62
/** 0 unknown, LOGICAL_ERROR, SOCKET_TIMEOUT, NETWORK_ERROR, ALL_CONNECTION_TRIES_FAILED, CANNOT_SCHEDULE_TASK. */
const unreachable = new Set([0, 49, 202, 209, 210, 279, 439])

/** What the caller is told about a failed statement. `more` are names that the engine's text does not suggest. */
export function failureOf({ error, status }: Failure, query: string, more: readonly string[] = []): AppError {
  const { code } = error
  const message = withoutVersion(error.message)
  if (cancelled.has(code)) return new AppError('CANCELLED', 'the query was cancelled')
  if (status === 503 || unreachable.has(code)) return unavailable(error)
  if (code === sameId) return new AppError('CONFLICT', 'a query of this id runs already')
  if (code === readOnly) {
    const text =
      'the statement changes data or settings, and the key may only read: services:manage is missing'
    return new AppError('FORBIDDEN', text, { extra: { permission: 'services:manage' }, detail: message })
  }
  const position = positionOf(query, message)
  const suggestions = [...new Set([...suggestionsIn(message), ...more])]
  const isLimit = limits.has(code)
  const issue: Issue = {
    ...{ path: ['query'], code: isLimit ? 'limit_exceeded' : code === syntax ? 'syntax' : 'invalid_value' },
    message,
    ...(position ? { position: position.offset } : {}),
    ...(suggestions.length > 0 ? { suggestions } : {}),
  }
  return new AppError(isLimit ? 'LIMIT_EXCEEDED' : 'BAD_REQUEST', message, {
    issues: [issue],
    extra: { engineCode: code, position, suggestions },
  })
}

export interface FailureDetails {
  engineCode: number
  position: Position | null
  suggestions: readonly string[]
}

function unavailable(error: QueryError): AppError {
  return new AppError('UNAVAILABLE', 'the service cannot be reached, or did not wake in time', {
    detail: error.message,
    cause: error,
  })
}

/** `… Maybe you meant: ['customer', 'cost']`, `… Maybe you meant default.t?` */
function suggestionsIn(message: string): string[] {
  const [, names] = /Maybe you meant:? (\[.*?\]|\S+?)\??(?:\. |\.?$|\.? \()/s.exec(message) ?? []
  if (names === undefined) return []
  if (!names.startsWith('[')) return [names.replaceAll(/^[`']|[`']$/g, '')]
  return Array.from(names.matchAll(/'((?:[^'\\]|\\.)*)'/g), ([, name = '']) =>
    name.replaceAll(/\\(.)/g, '$1'),
  )
}

/** Without `Code: 62. DB::Exception: ` and the engine's version, which say nothing about the statement. */
export const withoutVersion = (message: string): string =>
  message
    .trim()
    .replace(/^Code: \d+\. DB::Exception: /, '')
    .replace(/ \(version [^)]*\)$/, '')
    .slice(0, maxMessageLength)

const maxMessageLength = 4_000
