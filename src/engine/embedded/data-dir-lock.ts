import { readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ensurePrivateFile } from '../../lib/private-file.ts'

/**
 * Prevents two control planes on one data directory, which would start every replica twice. The lock is the
 * operating system's, through SQLite: it ends with the process that holds it, even after a crash, so nobody
 * guesses whether the holder is alive.
 */
export interface DataDirLock {
  release(): void
}

export function lockDataDir(root: string, nowMs: number): DataDirLock {
  const holderFile = join(root, '.holder.json')
  const lockFile = join(root, '.lock')
  for (const file of [lockFile, holderFile]) ensurePrivateFile(file)
  const database = new DatabaseSync(lockFile, { timeout: 0 })
  try {
    database.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    const { code, errcode } = error as { code?: string; errcode?: number }
    if (code !== 'ERR_SQLITE_ERROR' || errcode !== 5) throw error
    throw new Error(`the warehouses in ${root} are run by another control plane${describeHolder(holderFile)}`)
  }
  const holder = { pid: process.pid, host: hostname(), since: new Date(nowMs).toISOString() }
  writeFileSync(holderFile, `${JSON.stringify(holder)}\n`)
  return { release: () => database.isOpen && database.close() }
}

/** Only for the message; the holder's description may be out of date. */
function describeHolder(file: string): string {
  try {
    const { pid, host, since } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    return ` (process ${pid} on ${host}, since ${since}): stop it first, or use another data directory`
  } catch {
    return ': stop it first, or use another data directory'
  }
}
