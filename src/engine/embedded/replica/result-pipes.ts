import { constants, openSync, readSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Pipes } from './pipes.ts'

/** One end of a pipe that the engine writes a result into. */
export interface ResultPipe {
  readonly path: string
  /** Gives what comes to the sink, until `finish`. A sink that says false gets nothing more before `resume`. */
  begin(sink: (chunk: Buffer) => boolean): void
  resume(): void
  /** When the statement has ended: gives the rest, whatever the sink says, which is at most a pipe full. */
  finish(): void
}

export interface ResultPipes {
  take(): Promise<ResultPipe>
  giveBack(pipe: ResultPipe): void
}

/**
 * Keeps pipes open: opened for both directions, a pipe never ends for us, and the engine finds a reader at once.
 * So a small result costs no opening and no closing on our side. That a result is complete is known from the
 * statement, not from the pipe.
 */
export function createResultPipes(pipes: Pipes): ResultPipes {
  const free: ResultPipe[] = []
  return {
    take: async () => free.pop() ?? openResultPipe(await pipes.take()),
    giveBack: (pipe) => {
      free.push(pipe)
    },
  }
}

function openResultPipe(path: string): ResultPipe {
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const socket = new Socket({ fd, readable: true, writable: false })
  let sink: (chunk: Buffer) => boolean = () => true
  socket.on('data', (chunk: Buffer) => {
    if (!sink(chunk)) socket.pause()
  })
  // Nothing to do: what is lost is noticed by the statement.
  socket.on('error', () => undefined)
  socket.unref()

  return {
    path,
    begin(next) {
      sink = next
    },
    resume: () => {
      socket.resume()
    },
    finish() {
      // What is read here is emitted, too.
      while (socket.readableLength > 0) socket.read()
      for (let chunk = readNow(fd); chunk !== null; chunk = readNow(fd)) sink(chunk)
      sink = () => true
      socket.resume()
    },
  }
}

const room = Buffer.allocUnsafe(64 * 1024)

/** What lies in the pipe; null = nothing. */
function readNow(fd: number): Buffer | null {
  try {
    const bytes = readSync(fd, room)
    return bytes === 0 ? null : Buffer.from(room.subarray(0, bytes))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null
    throw error
  }
}
