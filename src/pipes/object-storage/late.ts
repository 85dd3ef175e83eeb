import type { Clock } from '../../lib/clock.ts'
import type { Glob } from './glob.ts'
import { compareNames, type ObjectStore } from './store.ts'

/**
 * Counts objects that came late: they were written after the list had been read beyond their names, so the pipe never
 * reads them. A slow second listing finds them, one page for each poll. A round counts the objects that were written
 * between the begin of the round before it and its own, and that sort before what had been read by then.
 */
export interface LateCounter {
  readonly count: number
  /** Looks at one page. `cursor` is the last name that was read. */
  step(cursor: string, signal: AbortSignal): Promise<void>
}

export function createLateCounter(parts: {
  store: ObjectStore
  glob: Glob
  clock: Clock
  startAfter: string
}): LateCounter {
  const { store, glob, clock, startAfter } = parts
  let count = 0
  let after = startAfter
  let round = { sinceMs: clock.now(), cursor: '' }
  /** The round before, whose times and names this round compares with. */
  let before: typeof round | null = null

  return {
    get count() {
      return count
    },
    async step(cursor, signal) {
      if (cursor === '') return
      if (after === startAfter) {
        before = round.cursor === '' ? null : round
        round = { sinceMs: clock.now(), cursor }
      }
      if (before === null) {
        // The first round has nothing to compare with.
        after = startAfter
        return
      }
      const { sinceMs, cursor: read } = before
      const page = await store.list({ prefix: glob.prefix, after, signal })
      for (const { key, bytes, modifiedMs } of page.objects) {
        const isNew = modifiedMs > sinceMs && modifiedMs <= round.sinceMs
        if (isNew && bytes > 0 && glob.matches(key) && compareNames(key, read) < 0) count += 1
      }
      const last = page.next
      after = last === null || compareNames(last, read) >= 0 ? startAfter : last
    },
  }
}
