import type { Wanted, WantedObject } from './wanted.ts'

/**
 * The Merge tables that must not be on the reader because one of their underlying tables is missing there: they would
 * answer with too few rows, and without an error.
 */
export function incompleteMerges(
  { objects, missing }: Wanted,
  isAttached: (name: string) => boolean,
): Set<string> {
  const merges = [...objects].filter(([, { reach }]) => reach !== null)
  const absent = [...missing]
  for (const [name, object] of objects) if (object.reach === null && !isAttached(name)) absent.push(object)

  const incomplete = new Set<string>()
  const reaches = ({ reach }: WantedObject) =>
    reach !== null && absent.some(({ database, table }) => reach(database, table))
  // A Merge table that is left out is itself missing from the Merge tables above it.
  for (let found = true; found; ) {
    found = false
    for (const [name, object] of merges) {
      if (incomplete.has(name) || !reaches(object)) continue
      incomplete.add(name)
      absent.push(object)
      found = true
    }
  }
  return incomplete
}
