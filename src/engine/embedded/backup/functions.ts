import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readFiles } from '../../../lib/durable-file.ts'
import { type BackupFolder, FileMissing } from './folder.ts'
import { DamagedManifest } from './manifest.ts'

/**
 * SQL functions belong to no database, and the engine does not back them up. They are stored in this file
 * beside the engine's own files, with their own checksum; a backup without this file has no functions.
 */
export const functionsFile = '.functions.json'

const maxFunctionsBytes = 16 * 1024 * 1024

/** The CREATE FUNCTION statements of a warehouse, from the writer's own files. */
export async function readFunctions(dataDir: string): Promise<string[]> {
  const files = await readFiles(join(dataDir, 'user_defined'))
  return [...files].filter(([name]) => /^function_.*\.sql$/.test(name)).map(([, text]) => text.trim())
}

/** Called before the engine writes the backup: the manifest, which makes the backup valid, comes last. */
export async function saveFunctions(folder: BackupFolder, functions: readonly string[]): Promise<void> {
  if (functions.length === 0) return
  await folder.write(functionsFile, `${JSON.stringify({ sha256: hashOf(functions), functions })}\n`)
}

/** Rejects with DamagedManifest when the file does not match its checksum. */
export async function loadFunctions(folder: BackupFolder): Promise<string[]> {
  try {
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of folder.read(functionsFile)) {
      bytes += chunk.length
      if (bytes > maxFunctionsBytes) throw new DamagedManifest('it is too long')
      chunks.push(chunk)
    }
    return parse(Buffer.concat(chunks).toString('utf8'))
  } catch (error) {
    if (error instanceof FileMissing) return []
    throw error
  }
}

function parse(text: string): string[] {
  try {
    const { sha256, functions } = JSON.parse(text) as { sha256: string; functions: string[] }
    if (hashOf(functions) === sha256) return functions
  } catch {}
  throw new DamagedManifest('its content does not fit its checksum')
}

const hashOf = (functions: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(functions)).digest('hex')
