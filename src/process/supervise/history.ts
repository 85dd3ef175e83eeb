import { backoffMs } from '../../lib/backoff.ts'

/** The failures and restarts of a worker, across its processes. */
export interface WorkerHistory {
  /** Failures in a row, since the worker last served for long enough. */
  failures: number
  restarts: number
  /** The earliest time of the next start. */
  notBeforeMs: number
  lastFailure: string
}

export interface Histories {
  of(workerId: string): WorkerHistory
  notBeforeMs(): ReadonlyMap<string, number>
  failed(workerId: string, failure: string, servedMs: number, nowMs: number): void
  /** Records the start of a process; after a failure it counts as a restart. */
  started(workerId: string): void
  /** Earlier failures no longer count. */
  resetFailures(workerId: string): void
  /** Lets these workers start at once, because their settings changed. Their failures still count. */
  clearBackoff(workerIds: (workerId: string) => boolean): void
  forget(workerIds: (workerId: string) => boolean): void
}

/** All in milliseconds. */
export interface HistoryLimits {
  /** A process that served for this long did well: earlier failures no longer count. */
  wellMs: number
  /** A process that served for this long had started well: the worker restarts at once. */
  servedMs: number
  /** Between failed starts in a row; there is no wait after the first one. */
  backoff: { baseMs: number; maxMs: number }
}

/** From this many failures in a row, the worker reports a problem to people. */
export const failuresUntilProblem = 3

interface Kept extends WorkerHistory {
  hasFailed: boolean
  /** In a row: processes that ended before they had served for `servedMs`. */
  failedStarts: number
}

const blank: WorkerHistory = { failures: 0, restarts: 0, notBeforeMs: 0, lastFailure: '' }

export function createHistories(
  { backoff, wellMs, servedMs: enoughMs }: HistoryLimits,
  random: () => number = Math.random,
): Histories {
  const all = new Map<string, Kept>()
  const edit = (workerId: string) => {
    const known = all.get(workerId) ?? { ...blank, hasFailed: false, failedStarts: 0 }
    all.set(workerId, known)
    return known
  }

  return {
    of(workerId) {
      const { failures, restarts, notBeforeMs, lastFailure } = all.get(workerId) ?? blank
      return { failures, restarts, notBeforeMs, lastFailure }
    },
    notBeforeMs: () => new Map([...all].map(([workerId, { notBeforeMs }]) => [workerId, notBeforeMs])),
    failed(workerId, failure, servedMs, nowMs) {
      const history = edit(workerId)
      history.failures = servedMs >= wellMs ? 1 : history.failures + 1
      history.failedStarts = servedMs >= enoughMs ? 0 : history.failedStarts + 1
      // A worker that had served restarts at once, and so does one after its first failed start. Later starts
      // wait at least half of the backoff's ceiling, because full jitter could mean no wait at all. The wait of a
      // worker that served for a moment does not grow: clients of a killed replica would wait for it.
      const { failedStarts } = history
      const inARow = servedMs > 0 ? 1 : failedStarts - 1
      history.notBeforeMs = nowMs + (failedStarts < 2 ? 0 : backoffMs(inARow, { ...backoff, random: half }))
      history.lastFailure = failure
      history.hasFailed = true
    },
    started(workerId) {
      const history = edit(workerId)
      if (history.hasFailed) history.restarts += 1
      history.hasFailed = false
    },
    resetFailures(workerId) {
      const history = all.get(workerId)
      if (history) Object.assign(history, { failures: 0, failedStarts: 0, notBeforeMs: 0, lastFailure: '' })
    },
    clearBackoff(isMeant) {
      for (const [workerId, history] of all) if (isMeant(workerId)) history.notBeforeMs = 0
    },
    forget(isMeant) {
      for (const workerId of all.keys()) if (isMeant(workerId)) all.delete(workerId)
    },
  }

  function half(): number {
    return 0.5 + random() / 2
  }
}
