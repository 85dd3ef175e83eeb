import type { Chunks } from './fetch-request.ts'

/**
 * Memory for answers while their records are read. Buffers of some megabytes for each answer would make the collector
 * of garbage run all the time, so they are used again.
 */
export interface Arenas {
  /** Lends the chunks as one buffer for as long as `use` runs. */
  lend<T>(chunks: Chunks, use: (bytes: Buffer) => Promise<T>): Promise<T>
}

const arenaBytes = 2 * 1024 * 1024
const maxKept = 8

export function createArenas(): Arenas {
  const free: Buffer[] = []
  return {
    async lend({ length, buffers }, use) {
      const isUsual = length <= arenaBytes
      const arena = (isUsual ? free.pop() : undefined) ?? Buffer.allocUnsafeSlow(Math.max(length, arenaBytes))
      let at = 0
      for (const part of buffers) at += part.copy(arena, at)
      try {
        return await use(arena.subarray(0, length))
      } finally {
        if (isUsual && free.length < maxKept) free.push(arena)
      }
    },
  }
}
