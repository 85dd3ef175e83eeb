import type { IncomingMessage, ServerResponse } from 'node:http'
import { brokenLingerMs } from '../../lib/answer-end.ts'
import type { Clock } from '../../lib/clock.ts'
import { releaseBuffer } from '../../lib/release-buffer.ts'
import { type BrokenAnswer, coldStartHeader, type Exchange } from '../exchange/exchange.ts'
import { type Refusal, refusals, refusalText } from '../exchange/refusal.ts'
import { RequestBody } from '../exchange/request-body.ts'
import { type RequestHeaders, readHeaders } from '../exchange/request-headers.ts'
import { parseTarget, type RequestTarget } from '../exchange/request-target.ts'
import { clientAddress } from './client-address.ts'

/** An exchange with a client over HTTP. */
export class HttpExchange implements Exchange {
  readonly method: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly target: RequestTarget
  readonly headers: RequestHeaders
  readonly body: RequestBody
  /** The peer's address, or the client's as a trusted proxy reports it. */
  readonly address: string
  isGone = false
  onGone: () => void = nothing
  onClosed: () => void = nothing
  heldMs: number | null = null
  servedBy = ''
  sentBytes = 0
  private readonly clock: Clock

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { isProxy, clock }: { isProxy(address: string): boolean; clock: Clock },
  ) {
    this.clock = clock
    this.method = request.method ?? ''
    this.request = request
    this.response = response
    this.target = parseTarget(request.url ?? '/')
    this.headers = readHeaders(request.rawHeaders)
    const { contentLength, isChunked, expectsContinue, forwardedFor } = this.headers
    this.body = new RequestBody(request, {
      ...{ contentLength, isChunked, release: releaseBuffer },
      onWanted: expectsContinue ? () => response.writeContinue() : nothing,
    })
    this.address = clientAddress(request.socket, forwardedFor, isProxy)
    // `close` handles a client that goes away during a write.
    response.on('error', nothing)
    response.on('close', () => {
      this.isGone ||= !response.writableFinished
      if (this.isGone) this.onGone()
      this.onClosed()
    })
  }

  /** The gateway waits for the client to send more of its body, even if only to drop it. */
  get isBodyAwaited(): boolean {
    return this.request.readableFlowing === true && !this.request.complete
  }

  refuse(refusal: Refusal): void {
    const { status, code, headers } = refusal
    this.answer(status, refusalText(refusal), { ...headers, 'X-ClickHouse-Exception-Code': String(code) })
  }

  /** Ends the exchange because the client stopped sending in the middle of its body. */
  giveUp(afterMs: number): void {
    const { response } = this
    if (response.headersSent) return void this.request.destroy()
    this.isGone = true
    this.onGone()
    response.shouldKeepAlive = false
    this.refuse(refusals.bodyStalled(afterMs))
  }

  answer(status: number, text: string, headers: Record<string, string> = {}): void {
    const { method, response, body } = this
    if (response.headersSent || response.destroyed) return
    // The client got no `100 Continue` and may or may not send its body, so the connection cannot be reused.
    if (this.headers.expectsContinue && body.isUntouched) response.shouldKeepAlive = false
    response.writeHead(status, {
      'Content-Type': 'text/plain; charset=UTF-8',
      'Content-Length': Buffer.byteLength(text),
      ...headers,
      ...(this.heldMs === null ? {} : { [coldStartHeader]: String(this.heldMs) }),
    })
    response.end(method === 'HEAD' ? undefined : text)
    body.drop()
  }

  breakOff(answer: BrokenAnswer): void {
    const { response, body, clock } = this
    const { socket } = response
    body.drop()
    if (!socket || socket.destroyed) return
    // Without a length or chunks, only a reset tells a broken answer from a complete one.
    if (answer.contentLength === null && !response.chunkedEncoding) socket.resetAndDestroy()
    else if (!isEncoded(answer)) socket.destroySoon()
    else {
      const closed = new AbortController()
      socket.once('close', () => closed.abort())
      void clock.sleep(brokenLingerMs, closed.signal).then(() => socket.destroySoon())
    }
  }
}

const isEncoded = ({ headers }: BrokenAnswer): boolean =>
  headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-encoding')

const nothing = (): void => {}
