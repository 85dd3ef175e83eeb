import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../lib/ids.ts'
import { writeOnce } from './credentials.ts'

/**
 * The id of the data directory, created at its first use and stored in it. Only the process that uses this
 * directory runs the services whose data lies in it, even when other processes share the store.
 */
export function loadDataPlaneId({ dataDir }: { dataDir: string }): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, 'data-plane.id')
  if (!existsSync(file)) writeOnce(file, `${newId()}\n`)
  const id = readFileSync(file, 'utf8').trim()
  if (id === '') throw new Error(`${file} is empty: the services of this directory cannot be recognized`)
  return id
}
