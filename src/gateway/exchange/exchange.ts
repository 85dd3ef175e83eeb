import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Refusal, refusals, refusalText } from './refusal.ts'
import { RequestBody } from './request-body.ts'
import { type RequestHeaders, readHeaders } from './request-headers.ts'
import { parseTarget, type RequestTarget } from './request-target.ts'

/** A request and its answer, from the moment it came to the moment the client has all of it or goes away. */
export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly target: RequestTarget
  readonly headers: RequestHeaders
  readonly body: RequestBody
  /** The client's, as the connection tells it, or a proxy that is trusted. */
  readonly address: string
  /** The client went away before it had its answer. */
  isGone = false
  /** Called once when the client goes away; whoever waits puts itself here, the last one wins. */
  onGone: () => void = nothing
  /** Called once when nothing more will happen. */
  onClosed: () => void = nothing
  /** How long it waited for a service to come up; null = not at all. */
  heldMs: number | null = null
  sentBytes = 0

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    addressOf: (forwardedFor: string) => string,
  ) {
    this.request = request
    this.response = response
    this.target = parseTarget(request.url ?? '/')
    this.headers = readHeaders(request.rawHeaders)
    this.body = new RequestBody(request, response, this.headers)
    this.address = addressOf(this.headers.forwardedFor)
    // A client that goes away while it is written to is told by `close`.
    response.on('error', nothing)
    response.on('close', () => {
      this.isGone ||= !response.writableFinished
      if (this.isGone) this.onGone()
      this.onClosed()
    })
  }

  refuse(refusal: Refusal): void {
    const { status, code, headers } = refusal
    this.answer(status, refusalText(refusal), { ...headers, 'X-ClickHouse-Exception-Code': String(code) })
  }

  /** The client stopped sending in the middle of its body. */
  giveUp(afterMs: number): void {
    const { response } = this
    if (response.headersSent) return void this.request.destroy()
    this.isGone = true
    this.onGone()
    response.shouldKeepAlive = false
    this.refuse(refusals.bodyStalled(afterMs))
  }

  answer(status: number, text: string, headers: Record<string, string> = {}): void {
    const { request, response, body } = this
    if (response.headersSent || response.destroyed) return
    // It was never told to send its body and may or may not do so: nothing can follow on this connection.
    if (this.headers.expectsContinue && body.isUntouched) response.shouldKeepAlive = false
    response.writeHead(status, {
      'Content-Type': 'text/plain; charset=UTF-8',
      'Content-Length': Buffer.byteLength(text),
      ...headers,
      ...(this.heldMs === null ? {} : { [coldStartHeader]: String(this.heldMs) }),
    })
    response.end(request.method === 'HEAD' ? undefined : text)
    body.drop()
  }
}

/** Tells a client why its answer took longer than others: how many milliseconds it waited for the service. */
export const coldStartHeader = 'X-Granary-Cold-Start'

const nothing = (): void => {}
