import { type BackupFolder, FileMissing } from './folder.ts'
import { DamagedManifest, manifestFile, readManifest } from './manifest.ts'
import { BackupError } from './reasons.ts'

/** The backup and all that it stands on, newest first; rejects with a reason when one of them is gone. */
export async function readChain(
  backupId: string,
  folderOf: (backupId: string) => BackupFolder,
  asBase: boolean,
): Promise<string[]> {
  const ids: string[] = []
  for (let id: string | null = backupId; id !== null; ) {
    if (ids.includes(id)) throw new BackupError(`backup ${id} stands on itself`)
    ids.push(id)
    id = await readBase(id, folderOf(id), asBase || ids.length > 1)
  }
  return ids
}

async function readBase(backupId: string, folder: BackupFolder, isBase: boolean): Promise<string | null> {
  try {
    return (await readManifest(folder.read(manifestFile))).head.baseId
  } catch (error) {
    if (error instanceof FileMissing) {
      const what = isBase ? 'the backup that this one stands on is gone' : 'the backup is gone'
      throw new BackupError(`${what}: ${backupId}`)
    }
    if (error instanceof DamagedManifest) {
      throw new BackupError(`${manifestFile} of backup ${backupId} is damaged: ${error.message}`)
    }
    throw error
  }
}
