import { constants, openSync, readSync } from 'node:fs'
import { Socket } from 'node:net'
import { type Fifos, resizeFifo, usualFifoBytes, wideFifoBytes } from './fifos.ts'

/** The read end of a FIFO that the engine writes a result into. */
export interface ResultFifo {
  readonly path: string
  /** Passes chunks to the sink until `finish`. A sink that returns false gets nothing more before `resume`. */
  begin(sink: (chunk: Buffer) => boolean): void
  resume(): void
  /** Called when the statement has ended: passes on the rest, at most a full FIFO, whatever the sink returns. */
  finish(): void
}

export interface ResultFifos {
  take(): Promise<ResultFifo>
  giveBack(fifo: ResultFifo): void
}

/**
 * Keeps FIFOs open for reading and writing, so that a FIFO never reaches end-of-file here and the engine finds a reader
 * at once. The end of the statement, not of the FIFO, shows that a result is complete.
 *
 * The small result of a short statement fits into the FIFO and is taken out in one read. The FIFO is watched only for
 * statements that take longer.
 */
export function createResultFifos(fifos: Fifos): ResultFifos {
  const free: ResultFifo[] = []
  return {
    take: async () => free.pop() ?? openResultFifo(await fifos.take()),
    giveBack: (fifo) => {
      free.push(fifo)
    },
  }
}

/** Most statements on a few rows have ended by then. */
const watchAfterMs = 2

function openResultFifo(path: string): ResultFifo {
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  let sink: (chunk: Buffer) => boolean = () => true
  let timer: NodeJS.Timeout | undefined
  let socket: Socket | undefined
  let isWatched = false
  let seenBytes = 0

  function watch(): void {
    isWatched = true
    if (socket !== undefined) return void socket.resume()
    socket = new Socket({ fd, readable: true, writable: false, onread: { buffer: room, callback: take } })
    // Nothing to do: the statement fails if data is lost.
    socket.on('error', () => undefined)
  }

  function take(bytes: number): boolean {
    const isWide = seenBytes > usualFifoBytes
    seenBytes += bytes
    if (!isWide && seenBytes > usualFifoBytes) resizeFifo(fd, wideFifoBytes)
    return sink(Buffer.from(room.subarray(0, bytes)))
  }

  return {
    path,
    begin(next) {
      sink = next
      timer = setTimeout(watch, watchAfterMs)
    },
    resume: () => {
      if (isWatched) socket?.resume()
    },
    finish() {
      clearTimeout(timer)
      socket?.pause()
      isWatched = false
      for (let chunk = readNow(fd); chunk !== null; ) {
        sink(chunk)
        chunk = chunk.length < room.length ? null : readNow(fd)
      }
      sink = () => true
      if (seenBytes > usualFifoBytes) resizeFifo(fd, usualFifoBytes)
      seenBytes = 0
    },
  }
}

/** Shared by all FIFOs: each read is copied out before the next. Copies larger than this cost a memory mapping each. */
const room = Buffer.allocUnsafeSlow(64 * 1024)

/** The contents of the FIFO, up to the size of `room`; null = the FIFO is empty. */
function readNow(fd: number): Buffer | null {
  try {
    const bytes = readSync(fd, room)
    return bytes === 0 ? null : Buffer.from(room.subarray(0, bytes))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null
    throw error
  }
}
