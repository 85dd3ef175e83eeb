import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type EgressPolicy, resolveAllowed } from '../../../lib/egress/guard.ts'
import type { EgressList } from '../../../lib/egress/list.ts'
import type { Endpoint } from '../../../process/confine/egress.ts'
import type { BackupLocation } from '../../backup.ts'
import { type EngineTarget, isName } from '../protocol.ts'
import { openBucket } from './bucket.ts'
import { createBucketFolder } from './bucket-folder.ts'
import { type BackupFolder, createLocalFolder } from './folder.ts'
import { BackupError, explainBucketError } from './reasons.ts'

/** An opened backup location. */
export interface OpenLocation {
  folderOf(backupId: string): BackupFolder
  /** One of the location's backups, in the form that the engine gets. */
  engineTarget(backupId: string): Promise<EngineTarget>
  /** The network addresses of the location. */
  endpoints(): Promise<Endpoint[]>
  /** Writes, reads, compares and removes a small object. */
  probe(signal: AbortSignal): Promise<void>
  close(): void
}

/** `egress`: which addresses buckets may have. */
export async function openLocation(
  location: BackupLocation,
  { backupsDir, egress }: { backupsDir: string; egress: EgressList },
): Promise<OpenLocation> {
  return location.kind === 'local' ? openLocal(backupsDir) : openRemote(location, egress)
}

function openLocal(backupsDir: string): OpenLocation {
  return {
    folderOf: (backupId) => createLocalFolder(join(backupsDir, named(backupId))),
    engineTarget: async (backupId) => ({ kind: 'local', folder: named(backupId) }),
    endpoints: async () => [],
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

async function openRemote(
  location: BackupLocation & { kind: 's3' },
  list: EgressList,
): Promise<OpenLocation> {
  const policy: EgressPolicy = { list, who: 'Backups', setting: 'GRANARY_SOURCE_EGRESS_ALLOW' }
  const bucket = await openBucket(location, policy)
  return {
    folderOf: (backupId) => createBucketFolder(bucket, named(backupId)),
    async engineTarget(backupId) {
      const { roleArn, roleSessionName } = location
      const keys = await bucket.credentials()
      return { kind: 's3', url: `${location.url}${named(backupId)}`, ...keys, roleArn, roleSessionName }
    },
    async endpoints() {
      const { hostname, protocol, port } = new URL(location.url)
      const at = Number(port) || (protocol === 'https:' ? 443 : 80)
      const addresses = await resolveAllowed(policy, hostname).catch((error) => {
        throw explainBucketError(error, location)
      })
      return addresses.map((address) => ({ address, port: at }))
    },
    async probe(signal) {
      const key = `.granary-probe-${randomUUID()}`
      const text = `granary ${randomUUID()}`
      await bucket.write(key, text, signal)
      try {
        const chunks = await bucket.read(key, signal)
        if (chunks === null) throw new BackupError('what was written into the bucket is not there')
        if (!(await holds(chunks, text, signal)))
          throw new BackupError('what is read from the bucket is not what was written into it')
      } finally {
        await bucket.remove(key)
      }
    },
    close: () => bucket.close(),
  }
}

async function holds(chunks: AsyncIterable<Uint8Array>, text: string, signal: AbortSignal): Promise<boolean> {
  let rest = Buffer.from(text)
  for await (const chunk of chunks) {
    signal.throwIfAborted()
    if (!rest.subarray(0, chunk.length).equals(chunk)) return false
    rest = rest.subarray(chunk.length)
  }
  return rest.length === 0
}

function named(backupId: string): string {
  if (!isName(backupId)) throw new BackupError('a backup has a name of letters, digits, _ and -')
  return backupId
}
