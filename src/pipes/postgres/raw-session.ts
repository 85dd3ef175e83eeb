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

const codes = { copyData: 0x64, copyOut: 0x48, copyBoth: 0x57, notice: 0x4e, parameter: 0x53 }
/** They may stand before and between CopyData. */
const passedOver: ReadonlySet<number> = new Set([
  codes.copyOut,
  codes.copyBoth,
  codes.notice,
  codes.parameter,
])
/** The kind of a message, and its length without the kind. */
const headBytes = 5

/** Runs a statement whose answer is a stream of CopyData messages. `onChunk` runs after the frames of a chunk. */
export function openRaw(
  client: Client,
  statement: string,
  onFrame: OnFrame,
  onChunk?: () => void,
): RawSession {
  return openFrames(client, statement, (buffer, from, to) => {
    for (let at = from; at < to; ) {
      const end = at + 1 + buffer.readUInt32BE(at + 1)
      onFrame(buffer, at + headBytes, end)
      at = end
    }
    onChunk?.()
  })
}

/** Gets the contents of several CopyData messages, one after another without anything between them. */
export type OnRows = (buffer: Buffer, start: number, end: number, rows: number) => void

/** Runs a COPY, which sends one message for each row. */
export function openCopy(client: Client, statement: string, onRows: OnRows): RawSession {
  return openFrames(client, statement, (buffer, from, to) => {
    let [used, rows] = [from, 0]
    for (let at = from; at < to; rows++) {
      const end = at + 1 + buffer.readUInt32BE(at + 1)
      buffer.copyWithin(used, at + headBytes, end)
      used += end - at - headBytes
      at = end
    }
    onRows(buffer, from, used, rows)
  })
}

/** Calls `onFrames` for each chunk with the whole messages that lie side by side in the buffer. */
function openFrames(
  client: Client,
  statement: string,
  onFrames: (buffer: Buffer, from: number, to: number) => void,
): RawSession {
  const internals = client as unknown as ClientInternals
  const { stream } = internals.connection
  const ended = Promise.withResolvers<void>()
  /** The begin of a message, in chunks, and how many bytes make it whole or tell its length. */
  let rest: Buffer[] = []
  let [restBytes, missing] = [0, 0]
  let listeners: ((...args: unknown[]) => void)[] = []
  let failure: Error | null = null

  function keep(part: Buffer, wanted: number): void {
    rest = part.length === 0 ? [] : [part]
    restBytes = part.length
    missing = wanted - part.length
  }

  /** Frames that are no CopyData are the client's: from then on it reads again. */
  function handBack(remaining: Buffer): void {
    stream.off('data', onData)
    for (const listener of listeners) stream.on('data', listener)
    keep(Buffer.alloc(0), 0)
    if (remaining.length > 0) for (const listener of listeners) listener(remaining)
    listeners = []
  }

  function onData(chunk: Buffer): void {
    if (rest.length > 0 && chunk.length < missing) {
      rest.push(chunk)
      restBytes += chunk.length
      missing -= chunk.length
      return
    }
    const buffer = rest.length === 0 ? chunk : Buffer.concat([...rest, chunk], restBytes + chunk.length)
    let [from, at, wanted] = [0, 0, headBytes]
    let isOver = false
    for (; at + headBytes <= buffer.length; wanted = headBytes) {
      wanted = 1 + buffer.readUInt32BE(at + 1)
      if (at + wanted > buffer.length) break
      const code = buffer[at] ?? 0
      if (code !== codes.copyData) {
        isOver = !passedOver.has(code)
        if (at > from) onFrames(buffer, from, at)
        from = isOver ? at : at + wanted
        if (isOver) break
      }
      at += wanted
    }
    if (isOver) handBack(buffer.subarray(at))
    else {
      keep(buffer.subarray(at), wanted)
      if (at > from) onFrames(buffer, from, at)
    }
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
