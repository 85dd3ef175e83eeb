import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Operation } from '../api/operation.ts'
import { isDashboardOperation, type OperationId, operations } from '../api/operations.ts'
import type { Caller, ControlContext } from '../control/context.ts'
import { refuse } from '../domain/errors.ts'
import { type AccessLog, logAnswer } from './access-log.ts'
import { type Authenticator, authorize, type Credential } from './auth.ts'
import { registerBodyParser } from './body.ts'
import { dashboardHandlers } from './dashboard-handlers.ts'
import { wrapResult } from './envelope.ts'
import { createErrorHandler } from './error-handler.ts'
import { answerBrokenRequest, unknownRoute } from './fallbacks.ts'
import type { Call, Handler } from './handler.ts'
import { managementHandlers } from './management-handlers.ts'
import type { RateLimiter } from './rate-limit.ts'
import { rehearse } from './rehearse.ts'
import { createSerializer } from './serialize.ts'
import { createValidator } from './validate.ts'

export interface AppDependencies {
  control: ControlContext
  authenticator: Authenticator
  rateLimiter: RateLimiter
  log: AccessLog
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
    /** Which one the request asks for; 'unknown' = none of the two APIs. */
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
    // Clients that keep connections idle are not worth a reconnect storm after each minute.
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
    // Fastify's onResponse hook would add and remove two listeners, which costs more than what is done here.
    reply.raw.on('finish', () => {
      const durationMs = performance.now() - startedAtMs
      dependencies.onAnswer?.(request.operation, reply.statusCode, durationMs / 1000)
      logAnswer(dependencies.log, request, reply.statusCode, durationMs)
    })
    reply.header('x-request-id', request.id)
    // Before the body is looked at: whatever is wrong with that, the path is the first thing to tell.
    done(request.is404 ? unknownRoute(request, reply) : undefined)
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
    onRequest: (request, reply, done) => {
      request.operation = operation.id
      const enter = (caller: Caller) => {
        request.caller = caller
        reply.headers(rateLimiter.take(caller.key.id))
        authorize(caller, operation.permission, request.params as Record<string, string>)
      }
      let caller: Caller | Promise<Caller>
      try {
        caller = authenticator.authenticate(kind, credentialOf(request))
        if (!(caller instanceof Promise)) enter(caller)
      } catch (error) {
        return done(error as Error)
      }
      if (caller instanceof Promise) caller.then(enter).then(() => done(), done)
      else done()
    },
    handler: async (request, reply) => {
      const { caller } = request
      if (!caller) throw new Error('a handler ran without a caller')
      const warnings: string[] = []
      const call = {
        params: lowerCase(request.params as Record<string, string>),
        query: request.query,
        body: request.body,
        caller,
        header: (name: string, value: string) => void reply.header(name, value),
        warn: (text: string) => void warnings.push(text),
      } as unknown as Call<OperationId>
      const issues = validate({ params: request.params, query: request.query, body: request.body })
      if (issues.length > 0) {
        const carryOut = (dry: ControlContext, body: unknown) =>
          handler(dry, { ...call, body, header: () => {} } as unknown as Call<OperationId>)
        refuse(await rehearse(operation, request.body, issues, carryOut, control))
      }
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
