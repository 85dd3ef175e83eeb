import { closeSync, createReadStream, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Head, readBodyError } from './body.ts'

/** Keeps a result until all of it is known to be right: some in memory, the rest in a file. */
export interface Spool {
  write(chunk: Buffer): void
  /** From the beginning, in pieces. */
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
      // The pieces are as large as a FIFO; they go to the page cache.
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

/** Data of an insert as a file: the engine finds it under a name once all of it is there. */
export async function withDataFile<T>(
  directory: string,
  { bytes, rest }: Head,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const path = join(directory, `d${++last}`)
  try {
    // To the page cache: quicker than the way through another thread.
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
    // Whatever fails, the client is still to be answered.
    for await (const chunk of rest.iterator({ destroyOnReturn: false }))
      await file.appendFile(chunk as Buffer)
  } catch (error) {
    rest.resume()
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? error : readBodyError(error as Error)
  } finally {
    await file.close()
  }
}
