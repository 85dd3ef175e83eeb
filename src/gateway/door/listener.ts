import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../lib/clock.ts'
import { endsWithin } from '../../lib/running.ts'

export interface ListenerOptions {
  host: string
  port: number
  tls?: { cert: string | Buffer; key: string | Buffer }
  clock: Clock
  /** Of the port, not of a request: too many open files, for one. */
  onError(error: Error): void
  receive(request: IncomingMessage, response: ServerResponse): void
}

/** One endpoint's port. */
export interface Listener {
  readonly port: number
  /** Takes no new connections or requests, lets running ones end within the limit, and then cuts them off. */
  close(limitMs: number): Promise<void>
}

const serverOptions: ServerOptions = {
  // ClickHouse takes a URL of 1 MiB (http_max_uri_size), and headers besides.
  maxHeaderSize: 1024 * 1024 + 256 * 1024,
  // Who sends the head of a request slower than this wants to occupy the connection, not to ask.
  headersTimeout: 30_000,
  // Bodies take as long as they take: an insert may run for hours. One that stands still is ended, see body-watch.ts.
  requestTimeout: 0,
  // As ClickHouse's keep_alive_timeout.
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  // A client whose machine is gone without a word is noticed, and no longer keeps its service awake.
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
  noDelay: true,
}
const maxConnections = 4_096

export async function openListener({
  host,
  port,
  tls,
  clock,
  onError,
  receive,
}: ListenerOptions): Promise<Listener> {
  const server: Server = tls ? createTlsServer({ ...serverOptions, ...tls }) : createServer(serverOptions)
  const running = new Set<ServerResponse>()
  let isClosing = false
  const take = (request: IncomingMessage, response: ServerResponse) => {
    if (isClosing) response.shouldKeepAlive = false
    running.add(response)
    response.on('close', () => {
      running.delete(response)
      // Of a connection whose answer had begun the client did not know that it is the last.
      if (isClosing) setImmediate(() => server.closeIdleConnections())
    })
    receive(request, response)
  }
  server.maxConnections = maxConnections
  server.on('request', take)
  // The body is asked for when there is someone to take it.
  server.on('checkContinue', take)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
    socket.end(`HTTP/1.1 ${statusOf(error)}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.removeListener('error', reject)
      server.on('error', onError)
      resolve()
    })
  })
  return {
    port: (server.address() as AddressInfo).port,
    async close(limitMs) {
      isClosing = true
      for (const response of running) response.shouldKeepAlive = false
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      if (await endsWithin(clock, limitMs, closed)) return
      server.closeAllConnections()
      await closed
    },
  }
}

function statusOf({ code }: NodeJS.ErrnoException): string {
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large'
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return '408 Request Timeout'
  return '400 Bad Request'
}
