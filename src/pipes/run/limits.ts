import type { HistoryLimits } from '../../process/supervise/history.ts'
import type { WatchLimits } from '../../process/supervise/kind.ts'
import type { PatienceLimits } from './patience.ts'

/** Time limits, all in milliseconds. */
export interface PipeLimits {
  source: PatienceLimits
  destination: PatienceLimits
  /** A source that was read for this long without a failure works. */
  wellMs: number
  /** For begun batches when a pipe stops, and when the control process ends. */
  drainMs: number
  closeMs: number
  /** From a worker's start to its first answer. */
  startDeadlineMs: number
  /** For looking at a source, and for removing what a pipe left there. */
  errandMs: number
  watch: WatchLimits
  history: HistoryLimits
}

/** `timeScale`: how many times faster patience ends. */
export function pipeLimits(timeScale: number, given: Partial<PipeLimits> = {}): PipeLimits {
  const scaled = (ms: number) => Math.max(1, Math.round(ms / timeScale))
  const backoff = { baseMs: scaled(1_000), maxMs: scaled(60_000) }
  return {
    source: { limitMs: scaled(15 * 60_000), backoff },
    destination: { limitMs: scaled(60 * 60_000), backoff },
    wellMs: scaled(30_000),
    drainMs: 30_000,
    closeMs: 10_000,
    startDeadlineMs: 60_000,
    errandMs: 30_000,
    // An idle pipe must cost nothing: a worker is asked rarely, and tells everything else by itself.
    watch: {
      ...{ pollMs: 15_000, restPollMs: 60_000, startPollMs: 25 },
      ...{ statusTimeoutMs: 10_000, startTurnMs: 10_000 },
    },
    history: { wellMs: 30_000, servedMs: 3_000, backoff: { baseMs: 500, maxMs: 30_000 } },
    ...given,
  }
}
