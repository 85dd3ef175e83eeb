import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, invalid } from '../domain/errors.ts'
import type { Log } from '../lib/running.ts'
import { apiOf, wrapError } from './envelope.ts'
import { challenge as sessionChallenge, Unauthorized } from './unauthorized.ts'

export interface ErrorHandler {
  (thrown: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void
  /** Logs an internal error and words it for the caller; for answers that have already begun. */
  explain(thrown: Error, request: FastifyRequest): AppError
}

/** Handles every error of a request: logs internal errors once, and answers in the format of the API. */
export function createErrorHandler(log: Log): ErrorHandler {
  const explain: ErrorHandler['explain'] = (thrown, request) => {
    const error = toAppError(thrown)
    if (error.status >= 500)
      log.error({ requestId: request.id, err: thrown, detail: error.detail }, 'a request failed')
    return error
  }
  const handle = (thrown: Error, request: FastifyRequest, reply: FastifyReply) =>
    answer(explain(thrown, request), request, reply)
  return Object.assign(handle, { explain })
}

function answer(error: AppError, request: FastifyRequest, reply: FastifyReply): void {
  // A request with a malformed URL gets here before any hook has run.
  reply.header('x-request-id', request.id)
  // Fastify closes the connection when it refuses a body. If the body is half sent, closing resets the
  // connection and the caller may never see the answer; kept open, the rest of the body is discarded (for a
  // minute at most).
  reply.removeHeader('connection')
  if (error instanceof Unauthorized)
    reply.header('www-authenticate', isFromScript(request) ? sessionChallenge : error.challenge)
  reply.headers(error.headers)
  if (error.code === 'UNAVAILABLE') reply.header('retry-after', 1)
  reply.code(error.status).type('application/json; charset=utf-8').serializer(JSON.stringify)
  reply.send(wrapError(apiOf(request.url), request.id, error))
}

/** A script of a page asks, whose browser would open a dialog over the page; every browser begins its name so. */
function isFromScript({ headers }: FastifyRequest): boolean {
  const isBrowser = headers['user-agent']?.startsWith('Mozilla/') ?? false
  return isBrowser && !headers.accept?.includes('text/html')
}

/** Fastify's errors become errors of the catalogue; unexpected errors become a bare 500. */
function toAppError(thrown: FastifyError | Error): AppError {
  if (thrown instanceof AppError) return thrown
  const { code, statusCode } = thrown as FastifyError
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('PAYLOAD_TOO_LARGE', 'the body is larger than this operation takes')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('UNSUPPORTED_MEDIA_TYPE', 'the body must be declared as application/json')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalid([{ path: ['body'], code: 'syntax', message: 'is not as long as Content-Length says' }])
    case 'FST_ERR_BAD_URL':
      return invalid([{ path: ['path'], code: 'invalid_format', message: 'is not a valid URL' }])
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return invalid([{ path: ['path'], code: 'too_long', message: 'has a part that is too long' }])
  }
  // Checked before the store's errors, because a caller that disconnects looks like a lost store connection
  // too.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('BAD_REQUEST', 'the request cannot be read', { cause: thrown })
  }
  if (isDiskFull(thrown))
    return new AppError('INSUFFICIENT_STORAGE', 'the disk that the store is on is full', { cause: thrown })
  if (isStoreDown(thrown))
    return new AppError('UNAVAILABLE', 'the store cannot be reached', { cause: thrown })
  return new AppError('INTERNAL_ERROR', 'something went wrong on our side', { cause: thrown })
}

// SQLite: 13 is SQLITE_FULL, 4874 the same for its shared index (SQLITE_IOERR_SHMSIZE).
const sqliteFull = new Set([13, 4874])
// 53100 is PostgreSQL's disk_full.
const diskFull = new Set<unknown>(['53100', 'ENOSPC', 'EDQUOT'])

function isDiskFull(error: Error): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: number }
  return diskFull.has(code) || (code === 'ERR_SQLITE_ERROR' && sqliteFull.has(errcode ?? 0))
}

// PostgreSQL: class 08 and 57P mean that a connection ended or was refused, 57014 that a statement took too
// long, 53300 too many connections; the rest are socket errors.
const storeDown = /^(08|57P|57014|53300)|^(ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EPIPE)$/
const storeDownText =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|the database is not open/i

function isStoreDown(error: Error): boolean {
  const { code } = error as { code?: unknown }
  return (typeof code === 'string' && storeDown.test(code)) || storeDownText.test(error.message)
}
