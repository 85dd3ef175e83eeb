import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { tighten } from '../lib/private-file.ts'

export interface LogFile {
  write(line: string): void
}

/** The two files together hold at most twice as much. */
const defaultMaxBytes = 16 * 1024 ** 2

/**
 * Keeps the newest lines of the log in a file and, when that is full, in one of the same name with `.1`. Only the
 * owner can read them. A file that cannot be written loses lines, and nothing else: the log goes elsewhere, too.
 */
export function createLogFile(path: string, maxBytes = defaultMaxBytes): LogFile {
  let file: { handle: number; bytes: number } | null = null

  function open(): { handle: number; bytes: number } {
    tighten(path, 0o600)
    tighten(`${path}.1`, 0o600)
    const handle = openSync(path, 'a', 0o600)
    return { handle, bytes: fstatSync(handle).size }
  }

  return {
    write(line) {
      try {
        // The data directory may not exist yet.
        file ??= open()
        file.bytes += writeSync(file.handle, line)
        if (file.bytes < maxBytes) return
        closeSync(file.handle)
        file = null
        renameSync(path, `${path}.1`)
      } catch {}
    },
  }
}
