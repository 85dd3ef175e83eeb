import { copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { namesIn, syncDirectory, syncTree } from '../../../lib/durable-file.ts'
import { jobRoomParts } from '../protocol.ts'
import { type BackupFolder, createLocalFolder } from './folder.ts'
import { manifestFile } from './manifest.ts'

/**
 * The local backups that one writer process can reach: `<backups>/.jobs/<replicaId>.<epoch>/` with
 * `new/<backupId>/`, which it writes, and `bases/<backupId>/`, which it only reads. The operating system
 * confines the process to these two directories from its start; the control plane links into them what a job
 * needs and moves finished backups out.
 *
 * A finished backup moves to `<backups>/<backupId>/` by one rename, after its files are synced to disk: every
 * backup there is complete. If the control plane is killed before the rename, the next one asks the same
 * writer and then moves the backup. The job room is removed together with its process.
 */
export interface JobRoom {
  /** The folder into which the engine writes a backup. */
  folderOf(backupId: string): BackupFolder
  /** Lets the writer read these backups: their manifests only, or all of their files. */
  lend(backupIds: readonly string[], what: 'manifests' | 'everything'): Promise<void>
  /** Takes back all lent backups, and removes what is left of this one. */
  clear(backupId?: string): Promise<void>
  /** Does nothing if the backup has already moved. */
  moveOut(backupId: string): Promise<void>
}

export function openJobRoom(path: string, backupsDir: string): JobRoom {
  const lent = (backupId: string) => join(path, jobRoomParts.lent, backupId)
  const made = (backupId: string) => join(path, jobRoomParts.made, backupId)

  async function lendFile(from: string, to: string): Promise<void> {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    // Some file systems have no hard links.
    await link(from, to).catch(() => copyFile(from, to))
  }

  async function lendTree(backupId: string): Promise<void> {
    const home = join(backupsDir, backupId)
    for (const entry of await readdir(home, { withFileTypes: true, recursive: true })) {
      const from = join(entry.parentPath, entry.name)
      if (entry.isFile()) await lendFile(from, join(lent(backupId), from.slice(home.length)))
    }
  }

  return {
    folderOf: (backupId) => createLocalFolder(made(backupId)),
    async lend(backupIds, what) {
      for (const id of backupIds) {
        await rm(lent(id), { recursive: true, force: true })
        if (what === 'everything') await lendTree(id)
        else await lendFile(join(backupsDir, id, manifestFile), join(lent(id), manifestFile))
      }
    },
    async clear(backupId) {
      if (backupId !== undefined) await rm(made(backupId), { recursive: true, force: true })
      // The directory itself stays, because the writer's confinement refers to this very directory.
      for (const id of await namesIn(join(path, jobRoomParts.lent))) {
        await rm(lent(id), { recursive: true, force: true })
      }
    },
    async moveOut(backupId) {
      const isMade = (await createLocalFolder(made(backupId)).sizeOf(manifestFile)) !== null
      if (!isMade) return
      await syncTree(made(backupId))
      await rename(made(backupId), join(backupsDir, backupId))
      await syncDirectory(backupsDir)
    },
  }
}
