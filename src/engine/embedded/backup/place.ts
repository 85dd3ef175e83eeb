import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupPlace } from '../../backup.ts'
import { isName } from '../layout.ts'
import { openBucket } from './bucket.ts'
import { createBucketFolder } from './bucket-folder.ts'
import { type BackupFolder, createLocalFolder } from './folder.ts'
import { BackupError } from './reasons.ts'
import type { EnginePlace } from './statement.ts'

/** A place that backups lie at, opened. */
export interface OpenPlace {
  folderOf(backupId: string): BackupFolder
  /** One of its backups, as the engine is told of it. */
  engineTarget(backupId: string): Promise<EnginePlace>
  /** Writes, reads and removes something small. */
  probe(signal: AbortSignal): Promise<void>
  close(): void
}

export async function openPlace(place: BackupPlace, backupsDir: string): Promise<OpenPlace> {
  return place.kind === 'local' ? openLocal(backupsDir) : openRemote(place)
}

function openLocal(backupsDir: string): OpenPlace {
  return {
    folderOf: (backupId) => createLocalFolder(join(backupsDir, named(backupId))),
    engineTarget: async (backupId) => ({ kind: 'local', folder: named(backupId) }),
    async probe() {
      const path = join(backupsDir, `.probe-${randomUUID()}`)
      try {
        await writeFile(path, 'granary')
        await readFile(path)
      } catch (error) {
        const { code = 'unknown' } = error as NodeJS.ErrnoException
        throw new BackupError(`backups cannot be kept on this machine: ${code}`)
      } finally {
        await rm(path, { force: true }).catch(() => undefined)
      }
    },
    close: () => undefined,
  }
}

async function openRemote(place: BackupPlace & { kind: 's3' }): Promise<OpenPlace> {
  const bucket = await openBucket(place)
  return {
    folderOf: (backupId) => createBucketFolder(bucket, named(backupId)),
    async engineTarget(backupId) {
      const { roleArn, roleSessionName } = place
      const keys = await bucket.credentials()
      return { kind: 's3', url: `${place.url}${named(backupId)}`, ...keys, roleArn, roleSessionName }
    },
    async probe(signal) {
      const key = `.granary-probe-${randomUUID()}`
      await bucket.write(key, 'granary', signal)
      try {
        const chunks = await bucket.read(key, signal)
        if (chunks === null) throw new BackupError('what was written into the bucket is not there')
        for await (const _ of chunks) signal.throwIfAborted()
      } finally {
        await bucket.remove(key)
      }
    },
    close: () => bucket.close(),
  }
}

function named(backupId: string): string {
  if (!isName(backupId)) throw new BackupError('a backup has a name of letters, digits, _ and -')
  return backupId
}
