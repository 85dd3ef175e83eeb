import type { Socket } from 'node:net'
import { type AnswerHead, createAnswerParser } from './answer-parser.ts'

/** Receives the events of one request. After `onEnd` or `onLost` there are no more. */
export interface Call {
  /** The request is HEAD. */
  readonly isHeadOnly: boolean
  onContinue(): void
  onHead(head: AnswerHead): void
  /** A view, which must be used or copied at once. */
  onBody(bytes: Buffer): void
  /** All views of these bytes have been passed to `onBody`. */
  onRead(bytes: Buffer): void
  onEnd(): void
  /** The connection is gone. `wasConnected` false = the replica cannot have seen any of the request. */
  onLost(error: Error, wasConnected: boolean): void
  /** The connection can take more bytes. */
  onDrain(): void
}

/** Called when the bytes' memory may be reused, or with the reason why they were not sent. */
export type OnSent = (error?: Error | null) => void

/** One connection to an upstream, with one request on it at a time. */
export interface Connection {
  begin(call: Call): void
  /** Text is sent as latin1, byte for byte. False = wait for `onDrain`. */
  write(data: string | Buffer, onSent?: OnSent): boolean
  /** Like `write`, as one chunk of a body of undeclared length. */
  writeChunk(bytes: Buffer, onSent?: OnSent): boolean
  /** The request is completely written. */
  endRequest(): void
  pause(): void
  resume(): void
  /** Ends the running request, which tells the replica to stop; its call gets no more events. */
  destroy(): void
  readonly isUsable: boolean
  idleSinceMs: number
}

export interface ConnectionEvents {
  /** The answer is complete and another request may follow. */
  onIdle(connection: Connection): void
  onGone(connection: Connection): void
}

const connectTimeoutMs = 5_000
const noAnswer = new Error('the replica closed the connection without an answer')

/** Begins to connect; before the event `ready`, the peer cannot have seen anything. */
export type Dial = () => Dialled
export interface Dialled {
  socket: Socket
  ready: 'connect' | 'secureConnect'
}

/** Detects an upstream that vanished without closing its connections. */
export const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 10_000 } as const

export function openConnection({ socket, ready }: Dialled, { onIdle, onGone }: ConnectionEvents): Connection {
  let call: Call | null = null
  let isConnected = false
  let isRequestWhole = false
  let mayFollow = false
  let failure: Error | null = null
  const parser = createAnswerParser({
    onContinue: () => call?.onContinue(),
    onHead(head) {
      if (!call) throw new Error('the replica answered what nobody asked')
      mayFollow = head.keepAlive
      call.onHead(head)
    },
    onBody: (bytes) => call?.onBody(bytes),
    isHeadOnly: () => call?.isHeadOnly === true,
    onEnd() {
      const ended = call
      call = null
      // The unread rest of the request is still in flight, so the connection cannot serve another one.
      if (mayFollow && isRequestWhole && !socket.destroyed) {
        socket.resume()
        onIdle(connection)
      } else socket.destroy()
      ended?.onEnd()
    },
  })

  const connection: Connection = {
    begin(next) {
      call = next
      isRequestWhole = false
    },
    write: (data, onSent) =>
      typeof data === 'string' ? socket.write(data, 'latin1', onSent) : socket.write(data, onSent),
    writeChunk(bytes, onSent) {
      socket.cork()
      socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1')
      socket.write(bytes, onSent)
      const isFree = socket.write('\r\n', 'latin1')
      socket.uncork()
      return isFree
    },
    endRequest() {
      isRequestWhole = true
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    destroy() {
      call = null
      socket.destroy()
    },
    get isUsable() {
      return !socket.destroyed && socket.writable && !socket.readableEnded
    },
    idleSinceMs: 0,
  }

  socket.setTimeout(connectTimeoutMs)
  socket.on(ready, () => {
    isConnected = true
    socket.setTimeout(0)
  })
  socket.on('timeout', () => socket.destroy(new Error('the replica could not be reached in time')))
  socket.on('data', (chunk: Buffer) => {
    attempt(() => parser.push(chunk))
    call?.onRead(chunk)
  })
  socket.on('drain', () => call?.onDrain())
  socket.on('end', () => {
    attempt(() => parser.end())
    socket.destroy()
  })
  socket.on('error', (error: Error) => {
    failure ??= error
  })
  socket.on('close', () => {
    const lost = call
    call = null
    onGone(connection)
    lost?.onLost(failure ?? noAnswer, isConnected)
  })
  return connection

  function attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      failure ??= error as Error
      socket.destroy()
    }
  }
}
