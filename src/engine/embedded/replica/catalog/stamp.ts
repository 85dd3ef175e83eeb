import { type BigIntStats, statSync } from 'node:fs'

/** Far above any clock tick and any file system's rounding of times. */
const agedAfterMs = 2_000

/** A value that changes whenever the file, or the list of names in the directory, changes. */
export interface Stamp {
  value: string
  /**
   * File times have the granularity of the kernel's clock tick: a file that changed just before its stamp was taken may
   * change again without a new time. Equal stamps mean that nothing has changed only once the time has aged.
   */
  isAged: boolean
}

/** Null if the path does not exist. Any other failure throws, so that it is not mistaken for absence. */
export function stampOf(path: string, nowMs: number): Stamp | null {
  const stats = orGone(() => statSync(path, { bigint: true }))
  return stats && { value: textOf(stats), isAged: isAged(stats, nowMs) }
}

const textOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`

const isAged = ({ mtimeMs, ctimeMs }: BigIntStats, nowMs: number): boolean =>
  Number(mtimeMs) + agedAfterMs < nowMs && Number(ctimeMs) + agedAfterMs < nowMs

/** Null if the file or directory no longer exists. */
export function orGone<T>(call: () => T): T | null {
  try {
    return call()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}
