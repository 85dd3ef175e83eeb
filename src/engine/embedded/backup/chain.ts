import { type BackupFolder, FileMissing } from './folder.ts'
import { DamagedManifest, manifestFile, readManifest } from './manifest.ts'
import { BackupError } from './reasons.ts'

/** The backup and all its base backups, newest first; rejects with a reason when one of them is gone. */
export async function readChain(
  backupId: string,
  folderOf: (backupId: string) => BackupFolder,
  asBase: boolean,
): Promise<string[]> {
  const ids: string[] = []
  for (let id: string | null = backupId; id !== null; ) {
    const wrong = (text: string) => new BackupError(text)
    const isBase = asBase || ids.length > 0
    id = await readLink({ id, above: ids, isBase, wrong }, async (link) => {
      ids.push(link)
      return (await readManifest(folderOf(link).read(manifestFile))).head.baseId
    })
  }
  return ids
}

interface Link {
  id: string
  /** The backups that are based on this one. */
  above: readonly string[]
  isBase: boolean
  /** Makes the error of a chain that cannot be read; its text is for a person. */
  wrong(text: string, cause?: Error): Error
}

/** Reads one backup of a chain, and says for a person when it is gone, damaged or its own base. */
export async function readLink<T>(
  { id, above, isBase, wrong }: Link,
  read: (id: string) => Promise<T>,
): Promise<T> {
  if (above.includes(id)) throw wrong(`backup ${id} stands on itself`)
  try {
    return await read(id)
  } catch (error) {
    if (error instanceof FileMissing)
      throw wrong(
        `${isBase ? 'the backup that this one stands on is gone' : 'the backup is gone'}: ${id}`,
        error,
      )
    if (error instanceof DamagedManifest)
      throw wrong(`${manifestFile} of backup ${id} is damaged: ${error.message}`)
    throw error
  }
}
