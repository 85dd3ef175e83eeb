import { copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { namesIn, syncDirectory, syncTree } from '../../../lib/durable-file.ts'
import { jobRoomParts } from '../protocol.ts'
import { type BackupFolder, createLocalFolder } from './folder.ts'
import { manifestFile } from './manifest.ts'

/**
 * What one writer process reaches of the local backups: `<backups>/.jobs/<replicaId>.<epoch>/` with `new/<backupId>/`,
 * which it writes, and `bases/<backupId>/`, which it only reads. The operating system confines the process to these two
 * directories from its start on; the control plane puts into them what a job needs and takes out what it has made.
 *
 * A finished backup moves to `<backups>/<backupId>/` by one rename, after its files are on the disk: what lies there is
 * whole. A control plane that is killed before has the next one ask the same writer, and move it then. The room is
 * removed with its process.
 */
export interface JobRoom {
  /** Where the engine writes a backup. */
  folderOf(backupId: string): BackupFolder
  /** Lets the writer read these backups: their lists of files, or all of their files. */
  lend(backupIds: readonly string[], what: 'manifests' | 'everything'): Promise<void>
  /** Takes back all that was lent, and removes what is left of this backup. */
  clear(backupId?: string): Promise<void>
  /** Does nothing where the backup has been moved already. */
  moveOut(backupId: string): Promise<void>
}

export function openJobRoom(path: string, backupsDir: string): JobRoom {
  const lent = (backupId: string) => join(path, jobRoomParts.lent, backupId)
  const made = (backupId: string) => join(path, jobRoomParts.made, backupId)

  async function lendFile(from: string, to: string): Promise<void> {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    // Some file systems know no hard links.
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
      // The directory itself stays: the writer is confined to this one.
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
