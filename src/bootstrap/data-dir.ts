import { mkdirSync, realpathSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { ConfigError } from '../config/load.ts'
import { tighten } from '../lib/private-file.ts'

/**
 * Removes the permissions of other users that an earlier start, another umask or a copied directory left. The
 * store and the lock of the warehouses protect their own files. The secret key is not included: a key that
 * others could read is refused, because they may have read it.
 */
export function tightenDataDir({ dataDir }: { dataDir: string }): void {
  for (const name of ['credentials.json', 'data-plane.id']) tighten(join(dataDir, name), 0o600)
  // Closing a directory to other users protects everything in it.
  for (const name of ['warehouses', 'backups', 'files']) tighten(join(dataDir, name), 0o700)
}

/**
 * The folder whose files pipes may always read; its absolute path. It is made before the engine, which is confined to
 * what is there.
 */
export function makeFilesDir({ dataDir, engine }: { dataDir: string; engine: string }): string {
  const path = resolve(dataDir, 'files')
  if (engine !== 'none') mkdirSync(path, { recursive: true, mode: 0o700 })
  return path
}

/**
 * Pipes read every file below their folders, so the data directory, with the secret key and the store, must be in none
 * of them. Files in it that pipes may read have a folder of their own.
 */
export function requireOtherFolders({
  dataDir,
  pipeFileRoots,
}: {
  dataDir: string
  pipeFileRoots: readonly string[]
}): void {
  const own = realPath(resolve(dataDir))
  const files = join(own, 'files')
  for (const root of pipeFileRoots.map(realPath)) {
    if (isUnder(own, root) || (isUnder(root, own) && !isUnder(root, files)))
      throw new ConfigError(['GRANARY_PIPE_FILE_ROOTS: must neither hold the data directory nor lie in it'])
  }
}

const isUnder = (path: string, folder: string): boolean => `${path}${sep}`.startsWith(`${folder}${sep}`)

/** Without links; a folder that is not there yet is taken as it is written. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
