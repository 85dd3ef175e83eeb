import { EngineError } from '../engine-error.ts'
import { refuseForbiddenDefinition } from '../filter/definition.ts'
import type { BackupFolder } from './folder.ts'
import { contentOf, Damage, keyOf, type Level, readLevels } from './levels.ts'
import type { ManifestEntry } from './manifest.ts'
import { BackupError } from './reasons.ts'

/**
 * Runs the definitions in a backup through the SQL filter before a restore: anyone who can write to the
 * backup's location can edit them and recompute their checksums. For some table engines, CREATE alone already
 * reads files, so a check after the restore would come too late. Rejects with a reason that names the object.
 */
export async function refuseForbiddenDefinitions(
  backupId: string,
  folderOf: (backupId: string) => BackupFolder,
  signal: AbortSignal,
): Promise<void> {
  const definitions: ManifestEntry[] = []
  const found = (entry: ManifestEntry) => {
    if (entry.name.endsWith('.sql') && entry.size > 0) definitions.push(entry)
  }
  try {
    const { levels } = await readLevels({ backupId, folderOf, signal, found })
    for (const entry of definitions) await lookThrough(entry, levels, signal)
  } catch (error) {
    throw error instanceof Damage ? new BackupError(error.message, { cause: error }) : error
  }
}

const maxDefinitionBytes = 16 * 1024 * 1024

async function lookThrough(
  { name, size, checksum }: ManifestEntry,
  levels: readonly Level[],
  signal: AbortSignal,
): Promise<void> {
  const object = objectOf(name)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of contentOf(levels, keyOf(size, checksum), signal)) {
    bytes += chunk.length
    if (bytes > maxDefinitionBytes) throw new BackupError(`the definition of ${object} is too long`)
    chunks.push(chunk)
  }
  try {
    refuseForbiddenDefinition(Buffer.concat(chunks).toString('utf8'))
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    throw new BackupError(`the definition of ${object} is refused: ${error.message}`, { cause: error })
  }
}

/** `metadata/d/t.sql` → `d.t`; the file names are percent-encoded. */
function objectOf(name: string): string {
  const path = name.slice(name.lastIndexOf('metadata/') + 'metadata/'.length, -'.sql'.length)
  return path.split('/').map(plainName).join('.')
}

function plainName(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
