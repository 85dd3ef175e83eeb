import { closeSync, createReadStream, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Head, readBodyError } from './body.ts'

/** Keeps a result until its statement has succeeded: some in memory, the rest in a file. */
export interface Spool {
  write(chunk: Buffer): void
  /** Reads the result from the beginning. */
  read(): AsyncIterable<Buffer>
  remove(): void
}

let last = 0

export function createSpool(directory: string, memoryBytes: number): Spool {
  const chunks: Buffer[] = []
  let heldBytes = 0
  let path = ''
  let fd = -1

  return {
    write(chunk) {
      if (fd < 0 && heldBytes + chunk.length <= memoryBytes) {
        chunks.push(chunk)
        heldBytes += chunk.length
        return
      }
      if (fd < 0) {
        path = join(directory, `r${++last}`)
        fd = openSync(path, 'wx', 0o600)
      }
      // A synchronous write is quick: chunks are at most as large as a FIFO and go to the page cache.
      for (let done = 0; done < chunk.length; ) done += writeSync(fd, chunk, done)
    },
    async *read() {
      yield* chunks
      if (fd >= 0) yield* createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>
    },
    remove() {
      chunks.length = 0
      if (fd < 0) return
      closeSync(fd)
      rmSync(path, { force: true })
      fd = -1
    },
  }
}

/** Runs `use` with a file that contains all data of an insert. */
export async function withDataFile<T>(
  directory: string,
  { bytes, rest }: Head,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const path = join(directory, `d${++last}`)
  try {
    // A write to the page cache is quicker than a switch to another thread.
    writeFileSync(path, bytes, { mode: 0o600 })
    if (rest !== null) await appendAll(path, rest)
    return await use(path)
  } finally {
    rmSync(path, { force: true })
  }
}

async function appendAll(path: string, rest: Readable): Promise<void> {
  const file = await open(path, 'a')
  try {
    // The stream stays alive on a failure: the client must still get an answer.
    for await (const chunk of rest.iterator({ destroyOnReturn: false }))
      await file.appendFile(chunk as Buffer)
  } catch (error) {
    rest.resume()
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? error : readBodyError(error as Error)
  } finally {
    await file.close()
  }
}
