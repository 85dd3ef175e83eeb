import { backoffMs } from '../../lib/backoff.ts'

/** How a worker fared, over its processes. */
export interface WorkerHistory {
  /** In a row, since it last did well. */
  failures: number
  restarts: number
  /** Not to be started again before. */
  notBeforeMs: number
  lastFailure: string
}

export interface Histories {
  of(workerId: string): WorkerHistory
  notBeforeMs(): ReadonlyMap<string, number>
  failed(workerId: string, failure: string, servedMs: number, nowMs: number): void
  /** A process begins; after a failure it is a restart. */
  started(workerId: string): void
  /** What happened before counts no more. */
  resetFailures(workerId: string): void
  /** These may be started again at once, because somebody changed something. Their failures still count. */
  clearBackoff(workerIds: (workerId: string) => boolean): void
  forget(workerIds: (workerId: string) => boolean): void
}

/** All in milliseconds. */
export interface HistoryLimits {
  /** What served for so long did well: failures before count no more. */
  wellMs: number
  /** What served for so long had started well: it is started again at once. */
  servedMs: number
  /** Between two failed starts in a row; after the first one there is no wait. */
  backoff: { baseMs: number; maxMs: number }
}

/** From so many failures in a row on, there is something to tell a person. */
export const failuresUntilProblem = 3

interface Kept extends WorkerHistory {
  hasFailed: boolean
  /** In a row: processes that ended before they had served for long enough. */
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
      // What has served is started again at once, and so is what failed to start once. Later starts wait at least
      // half of the ceiling: a jitter down to nothing would be no wait at all.
      const { failedStarts } = history
      history.notBeforeMs =
        nowMs + (failedStarts < 2 ? 0 : backoffMs(failedStarts - 1, { ...backoff, random: half }))
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
