import { backoffMs } from '../../lib/backoff.ts'
import type { Limits } from './limits.ts'

/** How a replica fared, over its processes. */
export interface ReplicaHistory {
  /** In a row, since it last did well. */
  failures: number
  restarts: number
  /** Not to be started again before. */
  notBeforeMs: number
  lastFailure: string
}

export interface Histories {
  of(replicaId: string): ReplicaHistory
  notBeforeMs(): ReadonlyMap<string, number>
  failed(replicaId: string, failure: string, servedMs: number, nowMs: number): void
  /** A process begins; after a failure it is a restart. */
  started(replicaId: string): void
  /** What happened before counts no more. */
  didWell(replicaId: string): void
  /** Somebody changed something: waiting is over for these. */
  forgive(replicaIds: (replicaId: string) => boolean): void
  forget(replicaIds: (replicaId: string) => boolean): void
}

/** From so many failures in a row on, there is something to tell a person. */
export const failuresUntilProblem = 3

interface Kept extends ReplicaHistory {
  hasFailed: boolean
  /** In a row: processes that ended before they had served for long enough. */
  failedStarts: number
}

const blank: ReplicaHistory = { failures: 0, restarts: 0, notBeforeMs: 0, lastFailure: '' }

export function createHistories(
  { backoff, wellMs, servedMs: enoughMs }: Pick<Limits, 'backoff' | 'wellMs' | 'servedMs'>,
  random: () => number = Math.random,
): Histories {
  const all = new Map<string, Kept>()
  const edit = (replicaId: string) => {
    const known = all.get(replicaId) ?? { ...blank, hasFailed: false, failedStarts: 0 }
    all.set(replicaId, known)
    return known
  }

  return {
    of(replicaId) {
      const { failures, restarts, notBeforeMs, lastFailure } = all.get(replicaId) ?? blank
      return { failures, restarts, notBeforeMs, lastFailure }
    },
    notBeforeMs: () => new Map([...all].map(([replicaId, { notBeforeMs }]) => [replicaId, notBeforeMs])),
    failed(replicaId, failure, servedMs, nowMs) {
      const history = edit(replicaId)
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
    started(replicaId) {
      const history = edit(replicaId)
      if (history.hasFailed) history.restarts += 1
      history.hasFailed = false
    },
    didWell(replicaId) {
      const history = all.get(replicaId)
      if (history) Object.assign(history, { failures: 0, failedStarts: 0, notBeforeMs: 0, lastFailure: '' })
    },
    forgive(isMeant) {
      for (const [replicaId, history] of all) if (isMeant(replicaId)) history.notBeforeMs = 0
    },
    forget(isMeant) {
      for (const replicaId of all.keys()) if (isMeant(replicaId)) all.delete(replicaId)
    },
  }

  function half(): number {
    return 0.5 + random() / 2
  }
}
