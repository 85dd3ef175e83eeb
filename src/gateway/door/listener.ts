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
import { createRoster } from '../../lib/roster.ts'
import { endsWithin } from '../../lib/running.ts'

export interface ListenerOptions {
  host: string
  port: number
  tls?: { cert: string | Buffer; key: string | Buffer }
  clock: Clock
  /** Errors of the port, not of a request, such as too many open files. */
  onError(error: Error): void
  receive(request: IncomingMessage, response: ServerResponse): void
}

/** The port of one endpoint. */
export interface Listener {
  readonly port: number
  /** Takes no new connections or requests, lets running ones end within the limit, and then cuts them off. */
  close(limitMs: number): Promise<void>
}

const serverOptions: ServerOptions = {
  // ClickHouse accepts a URL of 1 MiB (http_max_uri_size), and headers besides.
  maxHeaderSize: 1024 * 1024 + 256 * 1024,
  // A client that sends the head of a request slower than this only occupies the connection.
  headersTimeout: 30_000,
  // Bodies have no time limit: an insert may run for hours. A stalled body is ended by body-watch.ts.
  requestTimeout: 0,
  // As ClickHouse's keep_alive_timeout.
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  // Detects clients whose machines vanished, so that they no longer keep their services awake.
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
  const running = createRoster<ServerResponse>()
  let isClosing = false
  const take = (request: IncomingMessage, response: ServerResponse) => {
    if (isClosing) response.shouldKeepAlive = false
    const remove = running.add(response)
    response.once('close', () => {
      remove()
      // An answer that had begun before the close did not tell the client that its connection would end.
      if (isClosing) setImmediate(() => server.closeIdleConnections())
    })
    receive(request, response)
  }
  server.maxConnections = maxConnections
  server.on('request', take)
  // The client is asked for its body only when a replica can take it.
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
