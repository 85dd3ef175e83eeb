import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Operation } from '../api/operation.ts'
import { type OperationId, operations } from '../api/operations.ts'
import type { Caller, ControlContext } from '../control/context.ts'
import { AppError } from '../domain/errors.ts'
import { type AccessLog, logAnswer } from './access-log.ts'
import { alertHandlers } from './alert-handlers.ts'
import type { Authenticator } from './auth.ts'
import { registerBodyParser } from './body.ts'
import { chartHandlers } from './chart-handlers.ts'
import { dashboardHandlers } from './dashboard-handlers.ts'
import { createErrorHandler } from './error-handler.ts'
import { answerBrokenRequest, unknownRoute } from './fallbacks.ts'
import { managementHandlers } from './management-handlers.ts'
import type { RateLimiter } from './rate-limit.ts'
import { type AnyHandler, registerOperation } from './register-operation.ts'
import { sourceHandlers } from './source-handlers.ts'

export interface AppDependencies {
  control: ControlContext
  authenticator: Authenticator
  rateLimiter: RateLimiter
  log: AccessLog
  /** The proxies whose `X-Forwarded-For` is trusted; false = none. */
  trustProxy: false | string[]
  /** Called after every answer. */
  onAnswer?(operation: string, status: number, seconds: number): void
  /** Operations beside those of the table, for tests. */
  further?: readonly (readonly [Operation, AnyHandler])[]
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** The operation of the request; 'unknown' = the request belongs to neither API. */
    operation: string
  }
}

/** Both APIs as one application; it neither listens nor reads the environment. */
export function createApp(dependencies: AppDependencies): FastifyInstance {
  const handleError = createErrorHandler(dependencies.log)
  const app = Fastify({
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: dependencies.trustProxy,
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: false },
    requestTimeout: 60_000,
    // Long enough that clients with idle connections do not all reconnect every minute.
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    frameworkErrors: handleError,
    clientErrorHandler: answerBrokenRequest,
  })
  app.decorateRequest('caller', null)
  app.decorateRequest('operation', 'unknown')
  registerBodyParser(app)
  app.setErrorHandler(handleError)
  app.addHook('onRequest', (request, reply, done) => {
    const startedAtMs = performance.now()
    // Fastify's onResponse hook would add and remove two listeners, which costs more than this handler.
    reply.raw.on('finish', () => {
      const durationMs = performance.now() - startedAtMs
      dependencies.onAnswer?.(request.operation, reply.statusCode, durationMs / 1000)
      logAnswer(dependencies.log, request, reply.statusCode, durationMs)
    })
    reply.header('x-request-id', request.id)
    // An unknown path is reported before the body is read, whatever is wrong with the body.
    done(request.is404 ? unknownRoute(request, reply) : undefined)
  })
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort(new AppError('UNAVAILABLE', 'the server is stopping')))
  const handlers: Record<OperationId, unknown> = {
    ...{ ...managementHandlers, ...dashboardHandlers, ...sourceHandlers, ...chartHandlers },
    ...alertHandlers,
  }
  const parts = { ...dependencies, handleError, closing: closing.signal }
  const registered = operations.map((each) => [each, handlers[each.id] as AnyHandler] as const)
  for (const [operation, handler] of [...registered, ...(dependencies.further ?? [])])
    registerOperation(app, parts, operation, handler)
  return app
}
