import type { Socket } from 'node:net'
import { type AnswerHead, createAnswerParser } from './answer-parser.ts'

/** What becomes of one request. After `onEnd` or `onLost` nothing more comes. */
export interface Call {
  /** The request is HEAD. */
  readonly isHeadOnly: boolean
  onContinue(): void
  onHead(head: AnswerHead): void
  /** A view that must be used or copied at once. */
  onBody(bytes: Buffer): void
  /** All views of these bytes were given. */
  onRead(bytes: Buffer): void
  onEnd(): void
  /** The connection is gone. `wasConnected` is false when the replica cannot have seen anything of the request. */
  onLost(error: Error, wasConnected: boolean): void
  /** More may be written. */
  onDrain(): void
}

/** Called when nobody reads the bytes any more, or with the reason why they were not sent. */
export type OnSent = (error?: Error | null) => void

/** One connection to an upstream, with one request on it at a time. */
export interface Connection {
  begin(call: Call): void
  /** Text goes out as latin1, byte for byte. False = wait for `onDrain`. */
  write(data: string | Buffer, onSent?: OnSent): boolean
  /** The same, as one chunk of a body whose length was not told. */
  writeChunk(bytes: Buffer, onSent?: OnSent): boolean
  /** Everything of the request is written. */
  endRequest(): void
  pause(): void
  resume(): void
  /** Ends the request that runs on it, which tells the replica to stop; its call hears no more. */
  destroy(): void
  readonly isUsable: boolean
  idleSinceMs: number
}

export interface ConnectionEvents {
  /** The answer is whole and another request may follow. */
  onIdle(connection: Connection): void
  onGone(connection: Connection): void
}

const connectTimeoutMs = 5_000
const noAnswer = new Error('the replica closed the connection without an answer')

/** Begins to connect; `ready` is the event after which the other end can have seen something. */
export type Dial = () => Dialled
export interface Dialled {
  socket: Socket
  ready: 'connect' | 'secureConnect'
}

/** An upstream that is gone without a word is noticed. */
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
      // What it did not take of the request is still under way: the connection cannot serve another one.
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
