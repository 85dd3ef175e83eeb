import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { writeVersions } from './api-authentication.ts'
import { type ApiName, apiOf } from './apis.ts'
import { errorCodes } from './error-codes.ts'
import type { Cluster, Exchange, Session } from './exchange.ts'
import type { Faults } from './faults.ts'
import { handlers } from './handlers.ts'
import { createWireReader } from './wire-reader.ts'
import { createWireWriter } from './wire-writer.ts'

export interface ConnectionContext {
  cluster: Cluster
  node: number
  faults: Faults
  /** Called for each request before it is handled. */
  note(api: ApiName): void
}

/**
 * Answers the requests of one connection, one after the other as real brokers do. A request that cannot be read,
 * has an unsupported version, or comes before authentication closes the connection.
 */
export function serveConnection(socket: Socket, context: ConnectionContext): void {
  const session: Session = { isAuthenticated: context.cluster.options.sasl === undefined, isRefused: false }
  let chunks: Buffer[] = []
  let heldBytes = 0
  let answered = Promise.resolve()
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    heldBytes += chunk.length
    for (;;) {
      if (heldBytes < 4) return
      if ((chunks[0]?.length ?? 0) < 4) chunks = [Buffer.concat(chunks)]
      const frameBytes = 4 + (chunks[0]?.readInt32BE(0) ?? 0)
      if (frameBytes < 14 || frameBytes > maxFrameBytes) socket.destroy()
      if (heldBytes < frameBytes || socket.destroyed) return
      const held = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
      const frame = held.subarray(4, frameBytes)
      chunks = held.length === frameBytes ? [] : [held.subarray(frameBytes)]
      heldBytes -= frameBytes
      answered = answered
        .then(() => answer(socket, session, frame, context))
        .catch(() => void socket.destroy())
    }
  })
}

async function answer(
  socket: Socket,
  session: Session,
  frame: Buffer,
  { cluster, node, faults, note }: ConnectionContext,
): Promise<void> {
  if (socket.destroyed) return
  let isFlexible = false
  const read = createWireReader(frame, () => isFlexible)
  const api = apiOf(read.int16())
  const version = read.int16()
  const correlation = read.int32()
  const clientId = read.string()
  const isKnown = api !== undefined && version >= api.min && version <= api.max
  if (!isKnown) {
    if (api?.name !== 'ApiVersions') throw new RangeError('an api or a version that is not offered')
    const write = createWireWriter(false)
    writeVersions(write, errorCodes.unsupportedVersion)
    send(socket, correlation, write.finish())
    return
  }
  if (!session.isAuthenticated && !beforeAuthentication.includes(api.name)) {
    throw new RangeError('not authenticated')
  }
  note(api.name)
  isFlexible = version >= api.flexibleFrom
  read.tags()
  const fault = faults.take(api.name, node)
  if (fault?.delayMs !== undefined) await delay(fault.delayMs, undefined, { ref: false })
  if (fault?.close === 'before') {
    socket.destroy()
    return
  }
  const write = createWireWriter(isFlexible)
  // The head of an ApiVersions answer is never flexible: the client does not know the broker's versions yet.
  if (isFlexible && api.name !== 'ApiVersions') write.tags()
  const exchange: Exchange = {
    ...{ cluster, node, session, api, version, clientId, read, write, isSilent: false },
    injected: fault?.error ?? 0,
    isCorrupting: fault?.corrupt ?? false,
  }
  await handlers[api.name](exchange)
  if (fault?.close === 'after') {
    socket.destroy()
    return
  }
  if (exchange.isSilent) return
  write.tags()
  send(socket, correlation, write.finish(), fault?.close === 'middle')
  if (session.isRefused) socket.end()
}

function send(socket: Socket, correlation: number, parts: readonly Buffer[], isCut = false): void {
  if (socket.destroyed) return
  const bytes = parts.reduce((sum, { length }) => sum + length, 0)
  const head = Buffer.alloc(8)
  head.writeInt32BE(4 + bytes, 0)
  head.writeInt32BE(correlation, 4)
  if (isCut) {
    socket.end(Buffer.concat([head, ...parts]).subarray(0, 8 + Math.floor(bytes / 2)))
    return
  }
  socket.cork()
  socket.write(head)
  for (const part of parts) socket.write(part)
  socket.uncork()
}

const maxFrameBytes = 256 * 1024 * 1024
const beforeAuthentication: readonly ApiName[] = ['ApiVersions', 'SaslHandshake', 'SaslAuthenticate']
