import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A separate disk that can be filled to the last byte. */
export interface SmallDisk {
  path: string
  fill(): void
  /** Removes the file that filled the disk. */
  free(): void
  remove(): void
}

/** `refused` is the machine's reason when it does not allow mounting. */
export function makeSmallDisk(megabytes: number): SmallDisk | { refused: string } {
  const path = mkdtempSync(join(tmpdir(), 'granary-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', path], {
      stdio: 'pipe',
    })
  } catch (error) {
    rmdirSync(path)
    return { refused: `no disk can be mounted here: ${(error as Error).message.split('\n')[1] ?? ''}` }
  }
  const filler = join(path, 'filler')
  return {
    path,
    fill() {
      const file = openSync(filler, 'a')
      for (const size of [1024 * 1024, 4096, 1]) {
        try {
          for (;;) writeSync(file, Buffer.alloc(size))
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        }
      }
      closeSync(file)
    },
    free: () => rmSync(filler, { force: true }),
    remove() {
      execFileSync('umount', ['-l', path])
      rmdirSync(path)
    },
  }
}
