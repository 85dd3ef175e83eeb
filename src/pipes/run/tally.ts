const slotMs = 5_000
const slots = 12

/** What a pipe has moved: totals, and the mean rates of the last minute. It costs nothing while nothing moves. */
export interface Tally {
  add(counts: { rows: number; bytes: number; rejected: number }, nowMs: number): void
  totals(): { rows: number; bytes: number; rejected: number }
  rates(nowMs: number): { rowsPerSecond: number; bytesPerSecond: number }
}

export function createTally(start: { rows: number; bytes: number; rejected: number }): Tally {
  let { rows, bytes, rejected } = start
  const recent: { slot: number; rows: number; bytes: number }[] = []

  return {
    add(counts, nowMs) {
      rows += counts.rows
      bytes += counts.bytes
      rejected += counts.rejected
      const slot = Math.floor(nowMs / slotMs)
      const last = recent.at(-1)
      if (last?.slot === slot) {
        last.rows += counts.rows
        last.bytes += counts.bytes
        return
      }
      recent.push({ slot, rows: counts.rows, bytes: counts.bytes })
      if (recent.length > slots) recent.shift()
    },
    totals: () => ({ rows, bytes, rejected }),
    rates(nowMs) {
      const newest = Math.floor(nowMs / slotMs)
      const counted = recent.filter(({ slot }) => slot > newest - slots)
      const sum = (read: (each: (typeof recent)[number]) => number) =>
        counted.reduce((total, each) => total + read(each), 0) / ((slots * slotMs) / 1_000)
      return { rowsPerSecond: sum((each) => each.rows), bytesPerSecond: sum((each) => each.bytes) }
    },
  }
}
