import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

/** A port that forwards to a server; a test can break its connections. */
export interface Cuttable {
  readonly port: number
  /** Breaks every open connection; new connections are accepted. */
  cut(): void
  close(): Promise<void>
}

export async function startCuttable(target: NetConnectOpts): Promise<Cuttable> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const other = connect(target)
    for (const [one, two] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(one)
      one.pipe(two)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        two.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    async close() {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}
