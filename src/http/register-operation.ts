import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '../api/operation.ts'
import type { BodyOf } from '../api/operations.ts'
import type { Caller, ControlContext } from '../control/context.ts'
import { type AppError, refuse } from '../domain/errors.ts'
import { sendStream, streamForm } from './answer-stream.ts'
import { type Authenticator, authorize } from './auth.ts'
import { apiOf, wrapError, wrapResult } from './envelope.ts'
import type { ErrorHandler } from './error-handler.ts'
import { withProgress } from './progress-lines.ts'
import type { RateLimiter } from './rate-limit.ts'
import { rehearse } from './rehearse.ts'
import { RequestCall, rehearsal } from './request-call.ts'
import { refuseOtherOrigins } from './same-origin.ts'
import { createSerializer } from './serialize.ts'
import { callerBySession, credentialOf, kindOf, requireReach, signIn } from './sign-in.ts'
import { createValidator } from './validate.ts'

export interface OperationParts {
  control: ControlContext
  authenticator: Authenticator
  rateLimiter: RateLimiter
  handleError: ErrorHandler
  /** Aborts when the server stops. */
  closing: AbortSignal
}

/** Takes a `Call` and resolves with the operation's result; each handler's own type names its operation. */
export type AnyHandler = (control: ControlContext, call: object) => Promise<unknown>

/** The largest body of each API: a dashboard may carry five hundred tiles of text. */
const bodyLimitBytes = { management: 1024 ** 2, dashboards: 8 * 1024 ** 2 }
/** Anybody may send the body of a sign-in. */
const signInLimitBytes = 16 * 1024

/** Registers the route of an operation: authentication, validation, handler, answer. */
export function registerOperation(
  app: FastifyInstance,
  parts: OperationParts,
  operation: Operation,
  handler: AnyHandler,
): void {
  const { control, authenticator, rateLimiter } = parts
  const { answer = 'json', credential: takes } = operation
  const api = apiOf(operation.path)
  const kind = api === 'dashboards' ? 'dashboard' : 'management'
  const validate = createValidator(operation)
  const serialize = createSerializer(operation.result)
  const serializeMeta = operation.meta && createSerializer(operation.meta)
  const calls = { operation, closing: parts.closing, authenticate }

  app.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    bodyLimit: takes === 'body' ? signInLimitBytes : bodyLimitBytes[api],
    onRequest: (request, reply, done) => {
      request.operation = operation.id
      const enter = (caller: Caller) => admit(caller, request, reply)
      let caller: Caller | Promise<Caller>
      try {
        if (takes === 'body') {
          refuseOtherOrigins(request)
          return done()
        }
        caller = identify(request)
        if (!(caller instanceof Promise)) enter(caller)
      } catch (error) {
        return done(error as Error)
      }
      if (caller instanceof Promise) caller.then(enter).then(() => done(), done)
      else done()
    },
    ...(takes === 'body' ? { preHandler: enterByBody } : {}),
    handler: async (request, reply) => {
      const call = new RequestCall(calls, request, reply)
      const issues = validate({ params: request.params, query: request.query, body: request.body })
      // A question is not rehearsed: it would read data.
      if (operation.asks) refuse(issues)
      else if (issues.length > 0) {
        const carryOut = (dry: ControlContext, body: unknown) => handler(dry, rehearsal(call, body))
        refuse(await rehearse(operation, request.body, issues, carryOut, control))
      }
      if (operation.asks === 'progress' && acceptsLines(request)) {
        const work = (progress: (value: object) => void) => {
          call.progress = progress
          return handler(control, call)
        }
        const lines = withProgress(work, (result) => whole(result, call, request, reply))
        return sendStream(reply, lines, streamForm('ndjson', String), (thrown) => explain(thrown, request))
      }
      const result = await handler(control, call)
      if (operation.deprecated) reply.headers(deprecationHeaders(operation.deprecated.successor, call.params))
      if (answer === 'text') return reply.type('text/plain; version=0.0.4; charset=utf-8').send(result)
      if (answer !== 'json') {
        const form = streamForm(answer, (item) => serialize(reply, item))
        return sendStream(reply, result as AsyncIterable<unknown>, form, (thrown) => explain(thrown, request))
      }
      reply.type('application/json; charset=utf-8')
      return whole(result, call, request, reply)
    },
  })

  function whole(result: unknown, call: RequestCall, request: FastifyRequest, reply: FastifyReply): string {
    const beside = call.beside && serializeMeta ? serializeMeta(reply, call.beside) : ''
    return wrapResult(api, request.id, serialize(reply, result), call.warnings, beside)
  }

  /** Where the answer has begun, no HTTP status tells an error from a result, so the error tells its own. */
  function explain(thrown: Error, request: FastifyRequest): object {
    const error =
      thrown === parts.closing.reason ? (thrown as AppError) : parts.handleError.explain(thrown, request)
    return { status: error.status, ...wrapError(api, request.id, error) }
  }

  /** Checks a credential again, during a long answer. */
  async function authenticate(request: FastifyRequest): Promise<Caller> {
    const again = await identify(request)
    authorize(again, operation.permission, request.params as Record<string, string>)
    return again
  }

  function identify(request: FastifyRequest): Caller | Promise<Caller> {
    const { authorization } = request.headers
    if (authorization === undefined) return callerBySession(authenticator, operation, kind, request)
    const asked = takes === 'any' ? kindOf(authorization) : kind
    return authenticator.authenticate(asked, credentialOf(request))
  }

  function admit(caller: Caller, request: FastifyRequest, reply: FastifyReply): void {
    request.caller = caller
    reply.headers(rateLimiter.take(caller.key.id))
    // A browser keeps nothing that a session was answered.
    if (caller.session) reply.header('cache-control', 'no-store')
    requireReach(operation, kind, caller)
    authorize(caller, operation.permission, request.params as Record<string, string>)
  }

  async function enterByBody(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { params, query, body } = request
    refuse(validate({ params, query, body }))
    admit(await signIn(authenticator, request, body as BodyOf<'session.create'>), request, reply)
  }
}

const acceptsLines = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.includes('application/x-ndjson') ?? false

/** RFC 9745: the date of the deprecation (2025-01-01), and the successor. */
function deprecationHeaders(successor: string, params: object): Record<string, string> {
  const values = params as Record<string, string>
  const link = successor.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
  return { deprecation: '@1735689600', link: `<${link}>; rel="successor-version"` }
}
