import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { operations } from '../api/operations.ts'
import { AppError, invalid } from '../domain/errors.ts'
import { wrapError } from './envelope.ts'

/**
 * 405 if the path exists with other methods, 400 if it exists with this one and only cannot be read, else 404.
 */
export function unknownRoute(request: FastifyRequest, reply: FastifyReply): AppError {
  const path = request.url.split('?')[0] ?? ''
  const allowed = operations.filter((operation) => matches(operation.path, path)).map(({ method }) => method)
  if (allowed.length === 0) return new AppError('ROUTE_NOT_FOUND', 'this path is not part of the interface')
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (allowed.some((one) => one === method)) {
    return invalid([
      { path: ['path'], code: 'syntax', message: 'cannot be decoded, or has a part that is too long' },
    ])
  }
  const allow = [
    ...new Set(allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
  ].join(', ')
  reply.header('allow', allow)
  return new AppError('METHOD_NOT_ALLOWED', `this path takes ${allow}`)
}

function matches(template: string, path: string): boolean {
  const wanted = template.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part.startsWith('{') || part === given[index])
  )
}

const brokenRequests: Record<string, [status: number, reason: string, text: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'the headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'the request did not arrive in time'],
}

/** Input that is not HTTP never becomes a request, but still gets an answer in the format of the API. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const known = brokenRequests[error.code ?? '']
  const [status, reason, text] = known ?? [400, 'Bad Request', 'the request is not valid HTTP']
  const requestId = randomUUID()
  const envelope = wrapError('management', requestId, new AppError('BAD_REQUEST', text))
  const body = JSON.stringify({ ...envelope, status })
  const headers = [
    `HTTP/1.1 ${status} ${reason}`,
    'content-type: application/json; charset=utf-8',
    `x-request-id: ${requestId}`,
    'connection: close',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
}
