import type { BackupProgress } from '../../backup.ts'
import { createContentHash } from './content-hash.ts'
import { FileMissing } from './folder.ts'
import { functionsFile, loadFunctions } from './functions.ts'
import { contentOf, Damage, keyOf, type Level, type LevelsOptions, readLevels } from './levels.ts'
import { DamagedManifest, type ManifestEntry } from './manifest.ts'

export type Verdict =
  | { good: true; files: number; bytes: number }
  /** The reason names the file, of this backup or of one of its bases. */
  | { good: false; reason: string }

export interface VerifyOptions extends Omit<LevelsOptions, 'found'> {
  progress(done: BackupProgress): void
}

const readersAtATime = 8

/** Reads back everything that a restore of this backup would read, from it and from its bases. */
export async function verifyBackup(options: VerifyOptions): Promise<Verdict> {
  try {
    const { levels, files } = await readLevels(options)
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

/** Runs several at a time, because each request to a bucket has latency. The first failure ends the others. */
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
