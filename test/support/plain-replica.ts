import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A request that a plain replica got, with the whole body. */
export interface Asked {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** A plain HTTP server on a Unix socket in place of a replica. */
export interface PlainReplica {
  readonly address: string
  readonly asked: Asked[]
  /** How many requests have begun to arrive, complete or not. */
  begun(): number
  connections(): number
  /** Handles a request whose body has arrived; by default answers the replica's name. */
  onQuery(handle: (asked: Asked, response: ServerResponse, request: IncomingMessage) => void): void
  /** Handles a request as soon as its head has arrived; the handler reads the body. */
  onHead(handle: (request: IncomingMessage, response: ServerResponse) => void): void
  /** Acts like a killed process: every connection breaks, and nothing listens. */
  die(): Promise<void>
  /** Listens again on the same address. */
  revive(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function startPlainReplica(name: string): Promise<PlainReplica> {
  const directory = await mkdtemp(join(tmpdir(), 'plain-replica-'))
  const path = join(directory, 's')
  const asked: Asked[] = []
  const sockets = new Set<Socket>()
  let begun = 0
  let onQuery: Parameters<PlainReplica['onQuery']>[0] = (_asked, response) => response.end(`${name}\n`)
  let onHead: Parameters<PlainReplica['onHead']>[0] = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const query = { method, url, headers, body: Buffer.concat(chunks).toString() }
      asked.push(query)
      onQuery(query, response, request)
    })
  }
  const server = createServer({ maxHeaderSize: 2 * 1024 * 1024 }, (request, response) => {
    begun += 1
    onHead(request, response)
  })
  server.keepAliveTimeout = 60_000
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const listen = () => new Promise<void>((resolve) => server.listen(path, resolve))
  const die = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  await listen()
  return {
    address: `unix:${path}`,
    asked,
    begun: () => begun,
    connections: () => sockets.size,
    onQuery(handle) {
      onQuery = handle
    },
    onHead(handle) {
      onHead = handle
    },
    die,
    revive: listen,
    async [Symbol.asyncDispose]() {
      if (server.listening) await die()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
