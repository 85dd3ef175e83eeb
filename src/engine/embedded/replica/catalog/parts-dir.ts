import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orGone, stampOf } from './stamp.ts'

/** The contents of the directory with a table's parts. */
export interface PartsDir {
  /** '' = the directory changed so recently that it must be read again. */
  stamp: string
  names: string[]
  /**
   * The highest number of a mutation that changes how older parts are read; 0 = there is none. ALTER … RENAME or DROP
   * COLUMN changes the definition first, records the mutation a moment later and rewrites the parts long after; until
   * then the engine reads the parts correctly only if the mutation existed when the table was attached.
   */
  columnMutation: number
}

/** Null if the directory does not exist; `before` itself if nothing has changed since. */
export function readPartsDir(path: string, nowMs: number, before?: PartsDir): PartsDir | null {
  const stamp = stampOf(path, nowMs)
  if (stamp === null) return null
  if (before && stamp.value === before.stamp) return before
  const names = orGone(() => readdirSync(path))
  if (names === null) return null
  const known = new Set(before?.names)
  let columnMutation = before?.columnMutation ?? 0
  for (const name of names) {
    const number = Number(/^mutation_(\d+)\.txt$/.exec(name)?.[1] ?? 0)
    if (number > columnMutation && !known.has(name) && changesColumns(join(path, name)))
      columnMutation = number
  }
  return { stamp: stamp.isAged ? stamp.value : '', names, columnMutation }
}

function changesColumns(path: string): boolean {
  // The writer removes the files of finished mutations, so the file may be gone.
  const text = orGone(() => readFileSync(path, 'utf8')) ?? ''
  return /\b(RENAME|DROP|CLEAR)\s+COLUMN\b/i.test(text)
}
