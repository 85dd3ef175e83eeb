/**
 * Each series on top of the ones before it. A gap counts as nothing under the others and stays a gap where every
 * series has one. Values above and below zero pile up apart.
 */
export function stack(all: readonly (readonly (number | null)[])[]): (number | null)[][] {
  const length = Math.max(0, ...all.map((values) => values.length))
  const above = new Float64Array(length)
  const below = new Float64Array(length)
  return all.map((values) =>
    Array.from({ length }, (_, index) => {
      const value = values[index] ?? null
      if (value === null) return null
      const pile = value < 0 ? below : above
      pile[index] = (pile[index] ?? 0) + value
      return pile[index] ?? 0
    }),
  )
}
