import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
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
