import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../domain/errors.ts'
import { Unauthorized } from './auth.ts'
import { apiOf, wrapError } from './envelope.ts'
import { RateLimited } from './rate-limit.ts'

/** Every error of a request ends here: logged once, answered in the shape of its API. */
export function handleError(
  thrown: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const error = toAppError(thrown)
  if (error.status >= 500) request.log.error({ err: thrown, detail: error.detail }, 'a request failed')
  if (error instanceof Unauthorized) reply.header('www-authenticate', error.challenge)
  if (error instanceof RateLimited) reply.headers(error.headers)
  if (error.code === 'UNAVAILABLE') reply.header('retry-after', 1)
  reply.code(error.status).type('application/json; charset=utf-8').serializer(JSON.stringify)
  reply.send(wrapError(apiOf(request.url), request.id, error))
}

/** What the framework found wrong becomes an error of the catalogue; what nobody expected becomes a bare 500. */
function toAppError(thrown: FastifyError | Error): AppError {
  if (thrown instanceof AppError) return thrown
  const { code, statusCode } = thrown as FastifyError
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('PAYLOAD_TOO_LARGE', 'the body is larger than this operation takes')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('UNSUPPORTED_MEDIA_TYPE', 'the body must be declared as application/json')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new AppError('BAD_REQUEST', 'the body is not as long as Content-Length says')
    case 'FST_ERR_BAD_URL':
      return new AppError('BAD_REQUEST', 'the path is not a valid URL')
  }
  if (isStoreDown(thrown))
    return new AppError('UNAVAILABLE', 'the store cannot be reached', { cause: thrown })
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('BAD_REQUEST', 'the request cannot be read', { cause: thrown })
  }
  return new AppError('INTERNAL_ERROR', 'something went wrong on our side', { cause: thrown })
}

// PostgreSQL: class 08 and 57P are a connection that ended or was refused; the rest are socket errors.
const storeDown = /^(08|57P|53300)|^(ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EPIPE)$/
const storeDownText =
  /connection terminated|timeout exceeded when trying to connect|the database is not open/i

function isStoreDown(error: Error): boolean {
  const { code } = error as { code?: unknown }
  return (typeof code === 'string' && storeDown.test(code)) || storeDownText.test(error.message)
}
