import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '../api/operation.ts'
import type { Caller } from '../control/context.ts'
import { signalOf } from './answer-stream.ts'

/** What the calls of one operation share. */
export interface CallParts {
  operation: Operation
  /** Aborts when the server stops. */
  closing: AbortSignal
  authenticate(request: FastifyRequest): Promise<Caller>
}

/**
 * The call that a handler gets. It is a class because an object with a closure for each method costs a short read a
 * tenth of its time.
 */
export class RequestCall {
  readonly params: Record<string, string>
  readonly query: unknown
  readonly body: unknown
  readonly caller: Caller
  /** What the handler put beside the result. */
  beside: object | undefined = undefined
  readonly warnings: string[] = []
  /** Tells the caller of progress; undefined = the caller does not want to know. */
  progress: ((value: object) => void) | undefined = undefined
  private readonly parts: CallParts
  private readonly request: FastifyRequest
  private readonly reply: FastifyReply

  constructor(parts: CallParts, request: FastifyRequest, reply: FastifyReply) {
    if (!request.caller) throw new Error('a handler ran without a caller')
    this.params = lowerCase(request.params as Record<string, string>)
    this.query = request.query
    this.body = request.body === undefined && parts.operation.bodyIsOptional ? {} : request.body
    this.caller = request.caller
    this.parts = parts
    this.request = request
    this.reply = reply
  }

  get isSecure(): boolean {
    return this.parts.operation.credential !== undefined && this.request.protocol === 'https'
  }

  /** Created only when a handler reads it: most operations end before the caller could disconnect. */
  get signal(): AbortSignal {
    return signalOf(this.reply, this.parts.closing)
  }

  requestHeader(name: string): string | undefined {
    return this.request.headers[name] as string | undefined
  }

  header(name: string, value: string): void {
    this.reply.header(name, value)
  }

  meta(value: object): void {
    this.beside = value
  }

  warn(text: string): void {
    this.warnings.push(text)
  }

  authenticate(): Promise<Caller> {
    return this.parts.authenticate(this.request)
  }

  hangUp(): void {
    if (!this.reply.raw.writableFinished) this.reply.raw.destroy()
  }
}

/** The same call with another body, whose answer is not sent. */
export const rehearsal = (call: RequestCall, body: unknown): RequestCall =>
  Object.assign(Object.create(call), { body, header: () => {} })

/** Ids are case-insensitive; they are stored in lower case. */
function lowerCase(params: Record<string, string>): Record<string, string> {
  const lower: Record<string, string> = {}
  // A variable's name is no id.
  for (const name in params)
    lower[name] = (name === 'name' ? params[name] : params[name]?.toLowerCase()) ?? ''
  return lower
}
