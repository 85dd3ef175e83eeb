import { chmodSync, closeSync, fchmodSync, openSync, statSync } from 'node:fs'

/**
 * Makes sure that the file exists and that only its owner can read and write it, whatever the umask is and
 * whatever mode it had. An existing file is never opened: closing it would release the locks that this process
 * holds on it (POSIX), and SQLite relies on those.
 */
export function ensurePrivateFile(file: string): void {
  try {
    const handle = openSync(file, 'wx', 0o600)
    try {
      fchmodSync(handle, 0o600)
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    tighten(file, 0o600)
  }
}

/** Removes the permissions of everybody but the owner; a path that does not exist is ignored. */
export function tighten(path: string, mode: 0o600 | 0o700): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found && (found.mode & 0o077) !== 0) chmodSync(path, mode)
}
