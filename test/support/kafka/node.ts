import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { type ConnectionContext, serveConnection } from './connection.ts'
import type { NodeAddress } from './exchange.ts'
import type { KafkaOptions } from './options.ts'

/** A broker of the cluster on its own port, which stays the same over stop and start. */
export interface KafkaNode extends NodeAddress {
  start(context: ConnectionContext): Promise<void>
  /** Closes all connections at once; new ones are refused. */
  stop(): Promise<void>
  /** Closes all connections; new ones are accepted. */
  disconnect(): void
}

export function createNode(id: number, { tls, ports }: KafkaOptions): KafkaNode {
  const host = '127.0.0.1'
  let port = ports?.[id - 1] ?? 0
  let server: Server | undefined
  const sockets = new Set<Socket>()
  const disconnect = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    id,
    host,
    get port() {
      return port
    },
    get isUp() {
      return server !== undefined
    },
    async start(context) {
      const serve = (socket: Socket): void => serveConnection(socket, context)
      const made =
        tls === undefined
          ? createServer(serve)
          : createTlsServer(
              {
                ...{ key: tls.key, cert: tls.cert },
                ...(tls.clientCa === undefined ? {} : { ca: tls.clientCa, requestCert: true }),
              },
              serve,
            )
      // Tracks the socket below TLS, so that handshakes are cut off too.
      made.on('connection', (socket: Socket) => {
        sockets.add(socket)
        socket.on('error', () => {}).on('close', () => sockets.delete(socket))
        if (context.faults.isRefusing(id)) socket.destroy()
      })
      made.on('tlsClientError', () => {})
      made.listen(port, host)
      await once(made, 'listening')
      port = (made.address() as AddressInfo).port
      server = made
    },
    async stop() {
      const stopping = server
      server = undefined
      if (stopping === undefined) return
      const closed = once(stopping, 'close')
      stopping.close()
      disconnect()
      await closed
    },
    disconnect,
  }
}
