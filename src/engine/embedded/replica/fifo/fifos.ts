import { execFile } from 'node:child_process'
import { constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { loadNative } from '../../../../process/native.ts'

/**
 * FIFOs, through which results leave the engine and data enters it: `INTO OUTFILE`, `FROM INFILE`. With FIFOs the
 * engine streams every format with back-pressure; the library's own calls hold the whole result in memory.
 *
 * A FIFO is empty and closed on both sides when it is given back, so it can be reused.
 */
export interface Fifos {
  /** Begins to create FIFOs, so that the first `take` need not wait. */
  prepare(): void
  take(): Promise<string>
  giveBack(path: string): void
}

const batch = 16

export function createFifos(directory: string): Fifos {
  const free: string[] = []
  let made = 0
  let making: Promise<void> | undefined

  async function make(): Promise<void> {
    const names = Array.from({ length: batch }, (_, index) => join(directory, `p${made + index}`))
    made += batch
    await makeFifos(names)
    free.push(...names)
  }

  function makeOnce(): Promise<void> {
    making ??= make().finally(() => {
      making = undefined
    })
    return making
  }

  return {
    // `take` reports the failure.
    prepare: () => void makeOnce().catch(() => undefined),
    async take() {
      for (;;) {
        const path = free.pop()
        if (path !== undefined) return path
        await makeOnce()
      }
    },
    giveBack(path) {
      free.push(path)
    },
  }
}

/** A confined process cannot run mkfifo; without the native addon no process is confined. */
async function makeFifos(paths: string[]): Promise<void> {
  const native = loadNative()
  if ('missing' in native) await promisify(execFile)('mkfifo', ['-m', '600', ...paths])
  else for (const path of paths) native.makeFifo(path, 0o600)
}

/**
 * Opens the write end, once the engine has opened the read end; null if the statement ended without opening it. A
 * blocking open would hold a libuv thread until then, and those threads are for statements.
 */
export async function openForWriting(path: string, hasEnded: () => boolean): Promise<number | null> {
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 20)) {
    if (hasEnded()) return null
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}

export const usualFifoBytes = 64 * 1024
/**
 * For large results: a larger FIFO wakes reader and writer less often. The kernel limits the pages of all FIFOs of a
 * user (64 MiB): 200 statements at a time stay below.
 */
export const wideFifoBytes = 256 * 1024

/** Where the system refuses the size, the FIFO keeps its own. */
export function resizeFifo(fd: number, bytes: number): void {
  const native = loadNative()
  if (!('missing' in native)) native.setPipeSize(fd, bytes)
}
