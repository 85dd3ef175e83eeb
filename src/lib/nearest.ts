/** The names that a mistyped one may have meant, best first; ignores case and `_`. Empty when none is close. */
export function nearestNames(given: string, names: Iterable<string>, most = 5): string[] {
  const sought = plain(given)
  const found: { name: string; distance: number }[] = []
  for (const name of new Set(names)) {
    const distance = distanceTo(sought, plain(name))
    if (distance !== null) found.push({ name, distance })
  }
  const byDistance = found.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  return byDistance.slice(0, most).map(({ name }) => name)
}

/** How many letters must be inserted, deleted or changed to turn one text into the other. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const swap = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      next.push(Math.min(swap, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

function distanceTo(sought: string, name: string): number | null {
  const most = Math.max(1, Math.floor(Math.max(sought.length, name.length) / 3))
  if (Math.abs(sought.length - name.length) <= most) {
    const distance = editDistance(sought, name)
    if (distance <= most) return distance
  }
  // A prefix is a likely meaning too, but less likely than a typo.
  const isBeginning = sought.length >= 3 && name.startsWith(sought)
  return isBeginning ? name.length : null
}

const plain = (name: string): string => name.toLowerCase().replaceAll('_', '')
