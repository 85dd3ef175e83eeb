import { chmod, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Space that is set aside on a disk, so that workers can start when it is full to the last
 * byte: what they read is there, and what a start itself writes is little. It lies in a file that is removed when
 * a start needs the space, and made again when there is enough of it.
 */
export interface Reserve {
  /** Called before a start: makes room for it if there is none. Never rejects. */
  lend(): Promise<void>
  /** Called when a start is over. Never rejects. */
  refill(): Promise<void>
}

export const reserveBytes = 16 * 1024 * 1024

export function createReserve(directory: string): Reserve {
  const path = join(directory, '.reserve')
  let filling: Promise<void> | null = null

  async function fill(): Promise<void> {
    const { size } = await stat(path).catch(() => ({ size: 0 }))
    if (size === reserveBytes) return chmod(path, 0o600)
    // Twice: the reserve must not be what fills the disk.
    if ((await freeBytes(directory)) < 2 * reserveBytes) return
    // Written and not merely made longer: a hole takes no space.
    await writeFile(path, Buffer.alloc(reserveBytes), { mode: 0o600 })
  }

  return {
    async lend() {
      await filling
      const isShort = await freeBytes(directory)
        .then((bytes) => bytes < reserveBytes)
        .catch(() => false)
      if (isShort) await rm(path, { force: true }).catch(() => undefined)
    },
    refill() {
      filling ??= fill()
        // Half of a reserve is worth less than the space.
        .catch(() => rm(path, { force: true }).catch(() => undefined))
        .finally(() => {
          filling = null
        })
      return filling
    },
  }
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}
