import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Operation } from '../api/operation.ts'
import { isDashboardOperation, type OperationId, operations } from '../api/operations.ts'
import type { Caller, ControlContext } from '../control/context.ts'
import { AppError, refuse } from '../domain/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import type { Log } from '../lib/running.ts'
import { type Authenticator, authorize, type Credential } from './auth.ts'
import { registerBodyParser } from './body.ts'
import { dashboardHandlers } from './dashboard-handlers.ts'
import { wrapError, wrapResult } from './envelope.ts'
import { createErrorHandler } from './error-handler.ts'
import type { Call, Handler } from './handler.ts'
import { managementHandlers } from './management-handlers.ts'
import type { RateLimiter } from './rate-limit.ts'
import { createSerializer } from './serialize.ts'
import { createValidator } from './validate.ts'

export interface AppDependencies {
  control: ControlContext
  authenticator: Authenticator
  rateLimiter: RateLimiter
  log: Log & { isLevelEnabled(level: string): boolean }
  /** Whose `X-Forwarded-For` is believed: nobody's, or these addresses'. */
  trustProxy: false | string[]
  /** Told of every answer, by operation. */
  onAnswer?(operation: string, status: number, seconds: number): void
}

/** The largest body of each API: a dashboard may carry five hundred tiles of text. */
const bodyLimitBytes = { management: 1024 ** 2, dashboards: 8 * 1024 ** 2 }

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

/** Both APIs as one application; it neither listens nor reads the environment. */
export function createApp(dependencies: AppDependencies): FastifyInstance {
  const handleError = createErrorHandler(dependencies.log)
  const app = Fastify({
    logger: false,
    genReqId: newId,
    requestIdHeader: false,
    trustProxy: dependencies.trustProxy,
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: false },
    requestTimeout: 60_000,
    // Clients that keep connections idle are not worth a reconnect storm after each minute.
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    frameworkErrors: handleError,
    clientErrorHandler: answerBrokenRequest,
  })
  app.decorateRequest('caller', null)
  registerBodyParser(app)
  app.setErrorHandler(handleError)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    // Before the body is looked at: whatever is wrong with that, the path is the first thing to tell.
    done(request.is404 ? unknownRoute(request, reply) : undefined)
  })
  app.addHook('onResponse', (request, reply, done) => {
    logAnswer(dependencies, request, reply)
    done()
  })
  for (const operation of operations) registerOperation(app, dependencies, operation)
  return app
}

function registerOperation(
  app: FastifyInstance,
  dependencies: AppDependencies,
  operation: Operation & { id: OperationId },
) {
  const { control, authenticator, rateLimiter } = dependencies
  const api = isDashboardOperation(operation.id) ? 'dashboards' : 'management'
  const kind = api === 'dashboards' ? 'dashboard' : 'management'
  const handler = { ...managementHandlers, ...dashboardHandlers }[operation.id] as Handler<OperationId>
  const validate = createValidator(operation)
  const serialize = createSerializer(operation.result)

  app.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    bodyLimit: bodyLimitBytes[api],
    config: { operation: operation.id },
    onRequest: (request, reply, done) => {
      const enter = (caller: Caller) => {
        request.caller = caller
        reply.headers(rateLimiter.take(caller.key.id))
        authorize(caller, operation.permission, request.params as Record<string, string>)
      }
      try {
        const caller = authenticator.authenticate(kind, credentialOf(request))
        if (caller instanceof Promise) return void caller.then(enter).then(() => done(), done)
        enter(caller)
        done()
      } catch (error) {
        done(error as Error)
      }
    },
    handler: async (request, reply) => {
      const { caller } = request
      if (!caller) throw new Error('a handler ran without a caller')
      refuse(validate({ params: request.params, query: request.query, body: request.body }))
      const warnings: string[] = []
      const call = {
        params: lowerCase(request.params as Record<string, string>),
        query: request.query,
        body: request.body,
        caller,
        header: (name: string, value: string) => void reply.header(name, value),
        warn: (text: string) => void warnings.push(text),
      } as unknown as Call<OperationId>
      const result = await handler(control, call)
      if (operation.deprecated) reply.headers(deprecationHeaders(operation.deprecated.successor, call.params))
      if (operation.answer === 'text')
        return reply.type('text/plain; version=0.0.4; charset=utf-8').send(result)
      reply.type('application/json; charset=utf-8')
      return wrapResult(api, request.id, serialize(reply, result), warnings)
    },
  })
}

function credentialOf(request: FastifyRequest): Credential {
  const { authorization, 'user-agent': userAgent = '' } = request.headers
  return { authorization, ipAddress: request.ip, userAgent: userAgent.slice(0, 512), requestId: request.id }
}

/** Ids are the same in either case; they are kept in lower case. */
function lowerCase(params: Record<string, string>): Record<string, string> {
  const lower: Record<string, string> = {}
  for (const name in params) lower[name] = params[name]?.toLowerCase() ?? ''
  return lower
}

/** RFC 9745: since when (2025-01-01), and what to use instead. */
function deprecationHeaders(successor: string, params: object): Record<string, string> {
  const values = params as Record<string, string>
  const link = successor.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
  return { deprecation: '@1735689600', link: `<${link}>; rel="successor-version"` }
}

/** The path is known with other methods: 405. It is not known at all: 404. */
function unknownRoute(request: FastifyRequest, reply: FastifyReply): AppError {
  const path = request.url.split('?')[0] ?? ''
  const allowed = operations.filter((operation) => matches(operation.path, path)).map(({ method }) => method)
  if (allowed.length === 0) return new AppError('ROUTE_NOT_FOUND', 'this path is not part of the interface')
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

/** What is not even HTTP never becomes a request; it still gets an answer in our shape. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const known = brokenRequests[error.code ?? '']
  const [status, reason, text] = known ?? [400, 'Bad Request', 'the request is not valid HTTP']
  const requestId = newId()
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

/** One line a request. Bodies, queries and headers never go into it: they may hold secrets. */
function logAnswer({ log, onAnswer }: AppDependencies, request: FastifyRequest, reply: FastifyReply): void {
  const { operation = 'unknown' } = request.routeOptions.config as { operation?: string }
  const { statusCode: status, elapsedTime } = reply
  onAnswer?.(operation, status, elapsedTime / 1000)
  // Reads are frequent and change nothing: they are told only when asked for.
  const isQuiet = request.method === 'GET' && status < 400
  if (isQuiet && !log.isLevelEnabled('debug')) return
  const line = {
    requestId: request.id,
    operation,
    method: request.method,
    path: safePath(request.url),
    status,
    durationMs: Math.round(elapsedTime * 1000) / 1000,
    keyId: request.caller?.key.id,
    ip: request.ip,
  }
  log[isQuiet ? 'debug' : 'info'](line, 'answered')
}

const pathWords = new Set(
  operations.flatMap(({ path }) => path.split('/').filter((part) => !part.startsWith('{'))),
)

/** Only words of the interface and ids: somebody may have pasted a secret where an id belongs. */
function safePath(url: string): string {
  const isSafe = (part: string) => pathWords.has(part) || isUuid(part) || /^[0-9a-f]{24}$/.test(part)
  const parts = (url.split('?')[0] ?? '').split('/')
  return parts.map((part) => (isSafe(part) ? part : '…')).join('/')
}
