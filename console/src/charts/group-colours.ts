/**
 * The colours of groups: first seen, first served, and kept by name, so that a group has one colour on the whole page and
 * over refreshes. Groups that are seen at the same time are served in the order of their names.
 */
export interface GroupColours {
  of(names: readonly string[]): number[]
}

export function createGroupColours(): GroupColours {
  const known = new Map<string, number>()
  return {
    of(names) {
      for (const name of names.filter((one) => !known.has(one)).sort()) known.set(name, known.size + 1)
      return names.map((name) => known.get(name) ?? 0)
    },
  }
}
