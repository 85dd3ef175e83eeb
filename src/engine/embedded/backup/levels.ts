import { readLink } from './chain.ts'
import { type BackupFolder, FileMissing } from './folder.ts'
import { type ManifestEntry, type ManifestHead, manifestFile, readManifest } from './manifest.ts'

/** One backup of the chain, with the entries whose content is needed, by size and checksum. */
export interface Level {
  backupId: string
  folder: BackupFolder
  entries: Map<string, ManifestEntry>
}

export interface LevelsOptions {
  backupId: string
  /** Opens this backup and its base backups. */
  folderOf(backupId: string): BackupFolder
  signal: AbortSignal
  /** Called with each file that the backup itself lists, even if its content is in a base. */
  found?(entry: ManifestEntry): void
}

/** Why a backup cannot be restored as it was made; the message is for a person. */
export class Damage extends Error {}

/** Reads the manifests of a backup and of its base backups, as far down as their content is needed. */
export async function readLevels({
  backupId,
  folderOf,
  signal,
  found = () => undefined,
}: LevelsOptions): Promise<{ levels: Level[]; files: number }> {
  const levels: Level[] = []
  let files = 0
  let [id, uuid, wanted]: [string | null, string, Map<string, string> | null] = [backupId, '', null]
  while (id !== null) {
    signal.throwIfAborted()
    const level: Level = { backupId: id, folder: folderOf(id), entries: new Map() }
    const above = levels.map(({ backupId }) => backupId)
    const isBase: boolean = wanted !== null
    const read: () => Promise<ReadLevel> = readLevel.bind(null, level, wanted, found, signal)
    const manifest: ReadLevel = await readLink({ id, above, isBase, wrong }, read)
    const { head, needed, count } = manifest
    if (uuid !== '' && head.uuid !== uuid) {
      throw new Damage(
        `backup ${id} is another one than the one that backup ${levels.at(-1)?.backupId} stands on`,
      )
    }
    if (levels.length === 0) files = count
    levels.push(level)
    if (needed.size > 0 && head.baseId === null) {
      throw new Damage(`${manifestFile} of backup ${id} does not tell what it stands on`)
    }
    id = needed.size > 0 ? head.baseId : null
    uuid = head.baseUuid
    wanted = needed
  }
  return { levels, files }
}

interface ReadLevel {
  head: ManifestHead
  /** Keys that the backup needs from its base. */
  needed: Map<string, string>
  count: number
}

/** `wanted` = keys that the backup above needs, with their file names there; null = all. */
async function readLevel(
  { backupId, folder, entries }: Level,
  wanted: Map<string, string> | null,
  found: (entry: ManifestEntry) => void,
  signal: AbortSignal,
): Promise<ReadLevel> {
  const needed = new Map<string, string>()
  let count = 0
  const { head, entries: all } = await readManifest(folder.read(manifestFile, signal))
  for await (const entry of all) {
    count += 1
    const key = keyOf(entry.size, entry.checksum)
    if (wanted === null) found(entry)
    if (entry.size === 0 || (wanted !== null && !wanted.has(key))) continue
    const same = entries.get(key)
    if (same) {
      refuseOtherContent(backupId, same, entry)
      continue
    }
    entries.set(key, entry)
    if (entry.baseSize > 0) needed.set(keyOf(entry.baseSize, entry.baseChecksum), entry.name)
  }
  for (const [key, name] of wanted ?? []) {
    if (!entries.has(key)) throw new Damage(`${name} is not in backup ${backupId}, where it should be`)
  }
  return { head, needed, count }
}

const wrong = (text: string, cause?: Error) =>
  new Damage(cause instanceof FileMissing ? `${text} (it has no ${manifestFile})` : text)

/** The engine reads all content of one checksum from one place; with two places, its choice is unknown. */
function refuseOtherContent(backupId: string, one: ManifestEntry, other: ManifestEntry): void {
  if (one.dataFile === other.dataFile && one.baseSize === other.baseSize) return
  if (one.baseSize === one.size && other.baseSize === other.size) return
  throw new Damage(
    `${manifestFile} of backup ${backupId} is damaged: ${one.name} and ${other.name} have one checksum and two places`,
  )
}

/** Yields the content of a base entry, which a file in the backup above continues. */
export async function* contentOf(
  [level, ...rest]: readonly Level[],
  key: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const entry = level?.entries.get(key)
  if (!level || !entry) throw new Damage('what a file goes on with is not in the chain')
  if (entry.baseSize > 0) yield* contentOf(rest, keyOf(entry.baseSize, entry.baseChecksum), signal)
  if (entry.size === entry.baseSize) return
  try {
    yield* level.folder.read(entry.dataFile, signal)
  } catch (error) {
    if (error instanceof FileMissing)
      throw new Damage(`${entry.dataFile} of backup ${level.backupId} is missing`)
    throw error
  }
}

export const keyOf = (size: number, checksum: string): string => `${checksum}${size}`
