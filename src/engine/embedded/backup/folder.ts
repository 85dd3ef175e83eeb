import { createReadStream } from 'node:fs'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '../../../lib/durable-file.ts'
import { manifestFile } from './manifest.ts'

/** The files of one backup, at any location. */
export interface BackupFolder {
  /** Null = there is no such file. */
  sizeOf(name: string): Promise<number | null>
  /** Rejects with FileMissing when there is no such file. */
  read(name: string, signal?: AbortSignal): AsyncIterable<Uint8Array>
  /** Writes a small file beside the engine's files. Locally, it is synced together with the whole backup. */
  write(name: string, text: string): Promise<void>
  /** Removes the manifest first, so that a partial removal leaves no valid backup. Repeat until it resolves. */
  remove(): Promise<void>
}

export class FileMissing extends Error {}

export function createLocalFolder(path: string): BackupFolder {
  return {
    async sizeOf(name) {
      return (await stat(join(path, name)).catch(nullIfMissing))?.size ?? null
    },
    async *read(name, signal) {
      const options = { highWaterMark: 256 * 1024, ...(signal ? { signal } : {}) }
      try {
        yield* createReadStream(join(path, name), options) as AsyncIterable<Buffer>
      } catch (error) {
        throw isMissing(error) ? new FileMissing(name) : error
      }
    },
    async write(name, text) {
      await mkdir(path, { recursive: true, mode: 0o700 })
      await writeFile(join(path, name), text, { mode: 0o600 })
    },
    async remove() {
      if ((await stat(path).catch(nullIfMissing)) === null) return
      await rm(join(path, manifestFile), { force: true })
      await syncDirectory(path)
      await rm(path, { recursive: true, force: true })
    },
  }
}

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null
  throw error
}
