/** Between two checks. */
export const orphanLookMs = 1_000

/**
 * Tells whether no control process has asked a worker for its status for so long that its control process
 * must be gone. Time in which this process did not run does not count: while a laptop sleeps, or a debugger
 * holds the worker, nothing could have asked it, and not every system's monotonic clock leaves that time out.
 */
export function createOrphanWatch(orphanAfterMs: number): (asked: number, nowMs: number) => boolean {
  let lastAsked = 0
  let lookedAtMs = Number.NaN
  let unaskedMs = 0
  return (asked, nowMs) => {
    const sinceMs = Math.min(nowMs - lookedAtMs, 2 * orphanLookMs) || 0
    lookedAtMs = nowMs
    unaskedMs = asked === lastAsked ? unaskedMs + sinceMs : 0
    lastAsked = asked
    return unaskedMs > orphanAfterMs
  }
}
