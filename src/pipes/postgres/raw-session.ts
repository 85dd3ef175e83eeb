import type { Socket } from 'node:net'
import type { Client } from 'pg'

/** A COPY or replication on a session: what the server sends is read here, past the client's parser. */
export interface RawSession {
  /** Resolves when the server has ended the command; rejects with its error. */
  readonly ended: Promise<void>
  /** Sends bytes as CopyData. */
  send(bytes: Buffer): void
  /** Asks for no more until `resume`. What was received is still handed over. */
  pause(): void
  resume(): void
}

/** Gets one CopyData message, at `start` of the buffer to before `end`. The buffer is reused. */
export type OnFrame = (buffer: Buffer, start: number, end: number) => void

interface ClientInternals {
  connection: { stream: Socket; query(text: string): void }
  query(submittable: object): unknown
}

const codes = { copyData: 0x64, copyOut: 0x48, copyBoth: 0x57 }

/** Runs a statement whose answer is a stream of CopyData messages. `onChunk` runs after the frames of a chunk. */
export function openRaw(
  client: Client,
  statement: string,
  onFrame: OnFrame,
  onChunk?: () => void,
): RawSession {
  const internals = client as unknown as ClientInternals
  const { stream } = internals.connection
  const ended = Promise.withResolvers<void>()
  let rest: Buffer = Buffer.alloc(0)
  let listeners: ((...args: unknown[]) => void)[] = []
  let failure: Error | null = null

  /** Frames that are no CopyData are the client's: from then on it reads again. */
  function handBack(remaining: Buffer): void {
    stream.off('data', onData)
    for (const listener of listeners) stream.on('data', listener)
    rest = Buffer.alloc(0)
    if (remaining.length > 0) for (const listener of listeners) listener(remaining)
    listeners = []
  }

  function onData(chunk: Buffer): void {
    const buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    while (at + 5 <= buffer.length) {
      const end = at + 1 + buffer.readUInt32BE(at + 1)
      if (end > buffer.length) break
      const code = buffer[at]
      if (code === codes.copyData) onFrame(buffer, at + 5, end)
      else if (code !== codes.copyOut && code !== codes.copyBoth) {
        handBack(buffer.subarray(at))
        return
      }
      at = end
    }
    rest = at === buffer.length ? Buffer.alloc(0) : buffer.subarray(at)
    onChunk?.()
  }

  internals.query({
    submit(connection: ClientInternals['connection']) {
      listeners = stream.listeners('data') as typeof listeners
      stream.removeAllListeners('data')
      stream.on('data', onData)
      connection.query(statement)
    },
    handleError(error: Error) {
      if (listeners.length > 0) handBack(Buffer.alloc(0))
      failure = error
      // A session that is gone sends nothing more.
      if (!/^[0-9A-Z]{5}$/.test((error as { code?: string }).code ?? '')) ended.reject(error)
    },
    handleReadyForQuery() {
      if (failure) ended.reject(failure)
      else ended.resolve()
    },
    ...{ handleCommandComplete() {}, handleCopyData() {}, handleRowDescription() {}, handleDataRow() {} },
    ...{
      handleEmptyQuery() {},
      handleParseComplete() {},
      handlePortalSuspended() {},
      handleCopyInResponse() {},
    },
  })
  ended.promise.catch(() => undefined)

  return {
    ended: ended.promise,
    send(bytes) {
      const head = Buffer.alloc(5)
      head[0] = codes.copyData
      head.writeUInt32BE(bytes.length + 4, 1)
      stream.write(Buffer.concat([head, bytes]))
    },
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
  }
}
