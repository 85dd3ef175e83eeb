import { constants, openSync, readSync } from 'node:fs'
import { Socket } from 'node:net'
import { type Fifos, resizeFifo, usualFifoBytes, wideFifoBytes } from './fifos.ts'

/** One end of a FIFO that the engine writes a result into. */
export interface ResultFifo {
  readonly path: string
  /** Gives what comes to the sink, until `finish`. A sink that says false gets nothing more before `resume`. */
  begin(sink: (chunk: Buffer) => boolean): void
  resume(): void
  /** When the statement has ended: gives the rest, whatever the sink says, which is at most a full FIFO. */
  finish(): void
}

export interface ResultFifos {
  take(): Promise<ResultFifo>
  giveBack(fifo: ResultFifo): void
}

/**
 * Keeps FIFOs open: opened for both directions, a FIFO never ends for us, and the engine finds a reader at once.
 * That a result is complete is known from the statement, not from the FIFO.
 *
 * A statement that ends at once with a small result finds room for it in the FIFO; it is taken out in one read.
 * Only for those that take longer the FIFO is watched.
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
    // Nothing to do: what is lost is noticed by the statement.
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

/** One for all FIFOs: what is read into it is copied before the next read. Larger copies cost a mapping each. */
const room = Buffer.allocUnsafeSlow(64 * 1024)

/** All that lies in the FIFO, if it is less than `room`; null = nothing. */
function readNow(fd: number): Buffer | null {
  try {
    const bytes = readSync(fd, room)
    return bytes === 0 ? null : Buffer.from(room.subarray(0, bytes))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null
    throw error
  }
}
