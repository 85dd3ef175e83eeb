import type { TimeSpan } from '../sql/query-source.ts'

/**
 * The changes of a table in the order in which they were noticed. An answer that was computed after version v was noted is
 * still right if no change after v touches its span.
 */
export interface Changes {
  /** The number of changes noticed so far. */
  readonly version: number
  note(spans: readonly TimeSpan[] | 'all'): void
  /** Whether rows in the span may have changed after this version was current. */
  touched(since: number, span: TimeSpan): boolean
}

/** So many changes are remembered; what is older than them counts as changed. */
const remembered = 256

export function createChanges(): Changes {
  const log: (readonly TimeSpan[] | 'all')[] = []
  let dropped = 0
  return {
    get version() {
      return dropped + log.length
    },
    note(spans) {
      if (spans !== 'all' && spans.length === 0) return
      log.push(spans)
      if (log.length <= remembered) return
      log.shift()
      dropped += 1
    },
    touched(since, { startMs, endMs }) {
      if (since < dropped) return true
      return log
        .slice(since - dropped)
        .some(
          (spans) => spans === 'all' || spans.some((span) => span.startMs < endMs && span.endMs > startMs),
        )
    },
  }
}
