import { type BigIntStats, statSync } from 'node:fs'

/** Far above any clock tick and any file system's rounding. */
const agedAfterMs = 2_000

/** What changes whenever the file, or the list of names in the directory, does. */
export interface Stamp {
  value: string
  /**
   * Times have the grain of the kernel's clock tick: what changed a moment before a look may change again without
   * showing. Only once its time has aged an equal stamp means that nothing has changed.
   */
  isAged: boolean
}

/** Null if it is not there. Any other failure throws: it must not be taken for that. */
export function stampOf(path: string, nowMs: number): Stamp | null {
  const stats = orGone(() => statSync(path, { bigint: true }))
  return stats && { value: textOf(stats), isAged: isAged(stats, nowMs) }
}

const textOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`

const isAged = ({ mtimeMs, ctimeMs }: BigIntStats, nowMs: number): boolean =>
  Number(mtimeMs) + agedAfterMs < nowMs && Number(ctimeMs) + agedAfterMs < nowMs

/** Null for what has gone since it was named. */
export function orGone<T>(call: () => T): T | null {
  try {
    return call()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}
