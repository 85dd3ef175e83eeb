import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orGone, stampOf } from './stamp.ts'

/** What lies in the directory of a table's parts. */
export interface PartsDir {
  /** '' = changed so lately that it must be looked at again. */
  stamp: string
  names: string[]
  /**
   * The newest of the mutations that change how older parts are to be read, by number; 0 = there is none. ALTER …
   * RENAME or DROP COLUMN changes the definition first, notes the mutation a moment later and rewrites the parts
   * long after; until then the engine reads them right only if it knew of the mutation when the table was attached.
   */
  columnMutation: number
}

/** Null if it is not there; `before` itself if nothing has changed since. */
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
  // Old ones are removed once they are done.
  const text = orGone(() => readFileSync(path, 'utf8')) ?? ''
  return /\b(RENAME|DROP|CLEAR)\s+COLUMN\b/i.test(text)
}
