import { constants } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import type { Batch, Spool } from '../source.ts'
import { createIndexWriter, encodeTail, type SpoolHeader } from '../spool-format.ts'

/** A spool that this worker writes. It stays in memory until it has a chunk of records, or is sealed. */
export interface SpoolFile extends Spool {
  /** Writes the rest; resolves when all of the file is on the disk. Rejects with the first error of any write. */
  seal(): Promise<void>
}

type ObjectList = Extract<Batch['content'], { objects: unknown }>

const chunkBytes = 1024 * 1024
/** Chunks that are written are used again: each new one would bring the collector of garbage closer to its next run. */
const freeChunks: Buffer[] = []
const maxFreeChunks = 8

export function createSpoolFile(path: string): SpoolFile {
  const index = createIndexWriter()
  let [records, rejected, bytes] = [0, 0, 0]
  let [format, settings] = ['', {} as Record<string, string>]
  let container: Uint8Array | undefined
  let chunk: Buffer | null = null
  let used = 0
  let file: FileHandle | null = null
  let failure: Error | null = null
  /** Writes follow each other. */
  let writing: Promise<void> = Promise.resolve()

  function write(part: Uint8Array): void {
    writing = writing
      .then(async () => {
        if (failure) return
        file ??= await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
        await writeAll(file, part)
      })
      .catch((error: Error) => {
        failure ??= error
      })
  }

  function flush(): void {
    const full = chunk
    if (full) {
      write(full.subarray(0, used))
      void writing.then(() => {
        if (freeChunks.length < maxFreeChunks) freeChunks.push(full)
      })
    }
    chunk = null
    used = 0
  }

  function put(part: Uint8Array): void {
    for (let done = 0; done < part.length; ) {
      chunk ??= freeChunks.pop() ?? Buffer.allocUnsafeSlow(chunkBytes)
      const taken = part.subarray(done, done + chunk.length - used)
      chunk.set(taken, used)
      used += taken.length
      done += taken.length
      if (used === chunk.length) flush()
    }
  }

  return {
    get records() {
      return records
    },
    get bytes() {
      return bytes
    },
    format(name, given = {}, head) {
      format = name
      settings = given
      container = head && Uint8Array.from(head)
    },
    append({ source, position, bytes: record, raw }) {
      // What can no longer be written is dropped: `seal` tells why.
      if (failure) return
      index.record(source, position, record.length, raw)
      put(record)
      records += 1
      bytes += record.length
    },
    reject({ source, position, raw, code, reason }) {
      if (failure) return
      index.reject(source, position, raw, code, reason)
      rejected += 1
    },
    async seal() {
      flush()
      const header: SpoolHeader = {
        ...{ kind: 'records', format, settings, records, rejected, bytes, indexBytes: index.bytes },
        ...(container && { container: Buffer.from(container).toString('base64') }),
      }
      for (const part of index.chunks()) write(part)
      write(encodeTail(header))
      await writing
      if (!failure) await file?.datasync().catch(fails)
      await file?.close().catch(fails)
      file = null
      if (failure) throw failure
    },
    async discard() {
      failure ??= new Error('the spool was discarded')
      await writing
      await file?.close().catch(() => undefined)
      file = null
      await rm(path, { force: true })
    },
  }

  function fails(error: Error): void {
    failure ??= error
  }
}

/** Resolves when the list is on the disk. */
export async function writeObjects(path: string, { objects, rejected }: ObjectList): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await writeAll(file, encodeTail({ kind: 'objects', objects, rejected }))
    await file.datasync()
  } finally {
    await file.close()
  }
}

async function writeAll(file: FileHandle, part: Uint8Array): Promise<void> {
  for (let done = 0; done < part.length; ) done += (await file.write(part, done)).bytesWritten
}
