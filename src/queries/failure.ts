import { AppError, invalid } from '../domain/errors.ts'
import { QueryError } from '../gateway/internal/query-error.ts'
import { limitBehind, type TileLimits } from './limits.ts'
import { SeriesError } from './sql/tile.ts'

/** A statement that failed, with the status that its replica or the gateway answered. */
export class StatementError extends QueryError {
  readonly status: number

  constructor(status: number, code: number, message: string) {
    super(code, message)
    this.status = status
  }
}

/** The engine refused the text of a statement: it, and not the service or a limit, must change. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof QueryError &&
  !unreachable.has(error.code) &&
  limitBehind(error.code, noLimits) === null &&
  !(error instanceof StatementError && error.status === 503)

// 0 unknown, 49 LOGICAL_ERROR, 209 SOCKET_TIMEOUT, 210 NETWORK_ERROR, 279 ALL_CONNECTION_TRIES_FAILED,
// 394 QUERY_WAS_CANCELLED, 439 CANNOT_SCHEDULE_TASK, 202 TOO_MANY_SIMULTANEOUS_QUERIES
const unreachable = new Set([0, 49, 209, 210, 279, 394, 439, 202])
const noLimits: TileLimits = { timeoutSeconds: 0, memoryMb: 0, readRows: 0, resultRows: 0 }

/** What a caller is told about an error behind a tile; `path` is where a refused text may be. */
export function toAppError(error: unknown, limits: TileLimits, path: readonly (string | number)[]): unknown {
  if (error instanceof SeriesError) return invalid([error.issue])
  if (!(error instanceof QueryError)) return error
  const limit = limitBehind(error.code, limits)
  if (limit !== null) {
    const message = `the limit ${limit.name} (${limit.value}) ended the query`
    return new AppError('LIMIT_EXCEEDED', message, {
      issues: [{ path, code: 'limit_exceeded', message }],
      detail: error.message,
    })
  }
  if (isRefusal(error)) return invalid([{ path, code: 'invalid_value', message: firstLine(error.message) }])
  return new AppError('UNAVAILABLE', 'the service cannot be reached, or did not wake in time', {
    detail: error.message,
    cause: error,
  })
}

/** Without the engine's version, which says nothing about the text. */
export function firstLine(message: string): string {
  const [line = ''] = message.split('\n')
  return line.replace(/ \(version [^)]*\)\s*$/, '').slice(0, 300)
}
