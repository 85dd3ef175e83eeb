import { createHash } from 'node:crypto'
import { lstat, mkdir } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/** The longest path of a Unix socket, on the strictest platform. */
const maxSocketPathBytes = 103

/**
 * The directory with the workers' sockets of one data directory. Sockets need short paths, and other users
 * must not reach them, so it is a private directory below the system's temporary directory.
 */
export async function openSocketDirectory(dataDir: string): Promise<string> {
  const isShort = (parent: string) => Buffer.byteLength(parent) + 64 <= maxSocketPathBytes
  const path = join(isShort(tmpdir()) ? tmpdir() : '/tmp', `granary-${hex(dataDir, 12)}`)
  await makePrivateDirectory(path)
  return path
}

/** The socket of the worker with this name, however long the name is. */
export const socketIn = (directory: string, name: string): string => join(directory, `${hex(name, 16)}.sock`)

/** Anyone who could write into this directory could impersonate a worker. */
export async function makePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const found = await lstat(path)
  if (!found.isDirectory() || (found.mode & 0o077) !== 0 || found.uid !== userInfo().uid) {
    throw new Error(`${path} must be a directory that only this user can enter: remove it`)
  }
}

const hex = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length)
