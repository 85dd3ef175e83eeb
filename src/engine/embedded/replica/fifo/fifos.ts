import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { loadNative } from '../../../../process/native.ts'

/**
 * FIFOs, through which results leave the engine and data enters it: `INTO OUTFILE`, `FROM INFILE`. They
 * make it stream with back-pressure in every format, where the library's own calls hold all in memory.
 *
 * A FIFO is empty and open on no side when it is given back, so it serves again.
 */
export interface Fifos {
  /** Begins to make some, so that the first one who takes one need not wait. */
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
    // Whoever takes one tells what went wrong.
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

/** A confined process runs no program; where there is no native call, no process is confined. */
async function makeFifos(paths: string[]): Promise<void> {
  const native = loadNative()
  if ('missing' in native) await promisify(execFile)('mkfifo', ['-m', '600', ...paths])
  else for (const path of paths) native.makeFifo(path, 0o600)
}

/**
 * Opens the end through which data enters, once the engine has opened the other one; null if the statement ended
 * without doing so. A blocking open would hold a thread until then, and statements are what holds threads here.
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

/** Lets a reader that opens the FIFO find its end at once. */
export async function writeNothing(path: string, hasEnded: () => boolean): Promise<void> {
  const fd = await openForWriting(path, hasEnded)
  if (fd !== null) closeSync(fd)
}

export const usualFifoBytes = 64 * 1024
/**
 * A FIFO that much goes through wakes reader and writer less often when it holds more. The system counts the pages of
 * all FIFOs of a user (64 MiB): 200 statements at a time stay below.
 */
export const wideFifoBytes = 256 * 1024

/** Where that cannot be had, the FIFO stays as it is. */
export function resizeFifo(fd: number, bytes: number): void {
  const native = loadNative()
  if (!('missing' in native)) native.setPipeSize(fd, bytes)
}
