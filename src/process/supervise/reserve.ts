import { chmod, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Reserved disk space, so that workers can start when the disk is completely full: their data is there
 * already, and a start writes little. The space is held by a file that is removed when a start needs it, and
 * recreated when there is enough space again.
 */
export interface Reserve {
  /** Called before a start: frees the reserve if the disk is full. Never rejects. */
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
    // Twice, because the reserve itself must not fill the disk.
    if ((await freeBytes(directory)) < 2 * reserveBytes) return
    // Written out, because a sparse file would take no space.
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
        // A partial reserve is not worth its space.
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
