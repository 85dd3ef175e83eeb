import type { BackupProgress, Verdict } from '../../backup.ts'
import { createContentHash } from './content-hash.ts'
import { type BackupFolder, FileMissing } from './folder.ts'
import { functionsFile, loadFunctions } from './functions.ts'
import { DamagedManifest, type ManifestEntry, manifestFile, readManifest } from './manifest.ts'

export interface VerifyOptions {
  backupId: string
  /** Of this backup and of those that it stands on. */
  folderOf(backupId: string): BackupFolder
  progress(done: BackupProgress): void
  signal: AbortSignal
}

/** One backup of the chain: what of its content is needed, by size and checksum. */
interface Level {
  backupId: string
  folder: BackupFolder
  entries: Map<string, ManifestEntry>
}

class Damage extends Error {}

const readersAtATime = 8

/** Reads back all that a restore of this backup would read, from it and from those that it stands on. */
export async function verifyBackup(options: VerifyOptions): Promise<Verdict> {
  try {
    const { levels, files } = await readChain(options)
    const bytes = await readContents(levels, options)
    await checkFunctions(options)
    return { good: true, files, bytes }
  } catch (error) {
    if (error instanceof Damage) return { good: false, reason: error.message }
    throw error
  }
}

async function checkFunctions({ backupId, folderOf }: VerifyOptions): Promise<void> {
  try {
    await loadFunctions(folderOf(backupId))
  } catch (error) {
    if (!(error instanceof DamagedManifest)) throw error
    throw new Damage(`${functionsFile} of backup ${backupId} is damaged: ${error.message}`)
  }
}

async function readChain({ backupId, folderOf, signal }: VerifyOptions) {
  const levels: Level[] = []
  let files = 0
  let [id, uuid, wanted]: [string | null, string, Map<string, string> | null] = [backupId, '', null]
  while (id !== null) {
    if (levels.some((level) => level.backupId === id)) throw new Damage(`backup ${id} stands on itself`)
    signal.throwIfAborted()
    const level: Level = { backupId: id, folder: folderOf(id), entries: new Map() }
    const { head, needed, count } = await readLevel(level, wanted, levels.length > 0, signal)
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

/** `wanted` = keys that the backup above needs, with the names that they have there; null = all. */
async function readLevel(
  { backupId, folder, entries }: Level,
  wanted: Map<string, string> | null,
  isBase: boolean,
  signal: AbortSignal,
) {
  const needed = new Map<string, string>()
  let count = 0
  try {
    const { head, entries: all } = await readManifest(folder.read(manifestFile, signal))
    for await (const entry of all) {
      count += 1
      const key = keyOf(entry.size, entry.checksum)
      if (entry.size === 0 || entries.has(key) || (wanted !== null && !wanted.has(key))) continue
      entries.set(key, entry)
      if (entry.baseSize > 0) needed.set(keyOf(entry.baseSize, entry.baseChecksum), entry.name)
    }
    for (const [key, name] of wanted ?? []) {
      if (!entries.has(key)) throw new Damage(`${name} is not in backup ${backupId}, where it should be`)
    }
    return { head, needed, count }
  } catch (error) {
    if (error instanceof FileMissing) {
      const what = isBase ? 'the backup that this one stands on is gone' : 'the backup is gone'
      throw new Damage(`${what}: ${backupId} (it has no ${manifestFile})`)
    }
    if (error instanceof DamagedManifest) {
      throw new Damage(`${manifestFile} of backup ${backupId} is damaged: ${error.message}`)
    }
    throw error
  }
}

async function readContents(levels: readonly Level[], { progress, signal }: VerifyOptions): Promise<number> {
  const items = levels.flatMap(({ entries }, at) =>
    [...entries.values()]
      .filter(({ size, baseSize }) => size > baseSize)
      .map((entry) => ({ entry, levels: levels.slice(at) })),
  )
  const totalBytes = items.reduce((sum, { entry }) => sum + entry.size - entry.baseSize, 0)
  let [files, bytes] = [0, 0]
  const tell = () => progress({ bytes, totalBytes, files, totalFiles: items.length })
  tell()
  await forEach(items, signal, async ({ entry, levels: below }, ended) => {
    await checkEntry(below, entry, ended, (more) => {
      bytes += more
      tell()
    })
    files += 1
    tell()
  })
  return bytes
}

/** Several at a time, because a bucket takes its time for each. The first failure ends the others. */
async function forEach<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController()
  const ended = AbortSignal.any([signal, failed.signal])
  const next = items.values()
  const reader = async () => {
    try {
      for (const item of next) {
        ended.throwIfAborted()
        await work(item, ended)
      }
    } catch (error) {
      failed.abort(error)
    }
  }
  await Promise.all(Array.from({ length: readersAtATime }, reader))
  ended.throwIfAborted()
}

async function checkEntry(
  levels: readonly Level[],
  entry: ManifestEntry,
  signal: AbortSignal,
  read: (bytes: number) => void,
): Promise<void> {
  const [level] = levels
  if (!level) return
  const { name, dataFile, size, baseSize, checksum } = entry
  const file = `${dataFile} of backup ${level.backupId}`
  const hash = createContentHash()
  if (baseSize > 0) {
    const key = keyOf(baseSize, entry.baseChecksum)
    for await (const chunk of contentOf(levels.slice(1), key, signal)) hash.update(chunk)
  }
  let length = 0
  try {
    for await (const chunk of level.folder.read(dataFile, signal)) {
      hash.update(chunk)
      length += chunk.length
      read(chunk.length)
    }
  } catch (error) {
    throw error instanceof FileMissing ? new Damage(`${file} is missing`) : error
  }
  if (length !== size - baseSize) {
    throw new Damage(`${file} is damaged: it has ${length} bytes instead of ${size - baseSize}`)
  }
  if (hash.digest() === checksum) return
  const as = name === dataFile ? '' : ` (kept for ${name})`
  throw new Damage(`${file} is damaged: its content does not fit its checksum${as}`)
}

/** Of an entry that a file above goes on with. */
async function* contentOf(
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

const keyOf = (size: number, checksum: string): string => `${checksum}${size}`
