import { join } from 'node:path'
import { tighten } from '../lib/private-file.ts'

/**
 * Takes what an earlier start, another umask or a copied directory left open to others from them. The store and the
 * lock of the warehouses see to their own files. The secret key is not among these: one that others could read is
 * refused, because they may have read it.
 */
export function tightenDataDir({ dataDir }: { dataDir: string }): void {
  for (const name of ['credentials.json', 'data-plane.id']) tighten(join(dataDir, name), 0o600)
  // Nobody gets at what lies in a directory that he cannot enter.
  for (const name of ['warehouses', 'backups']) tighten(join(dataDir, name), 0o700)
}
