import type { HistoryLimits } from '../../process/supervise/history.ts'
import type { WatchLimits } from '../../process/supervise/kind.ts'
import type { Runtime } from './runtime.ts'

/** Time limits, all in milliseconds. */
export interface Limits extends WatchLimits, HistoryLimits {
  /** From a process's start to its first answer; a slower process is replaced. */
  startDeadlineMs: number
  /** From the first unanswered status request; a process that is silent for longer is replaced. */
  silentDeadlineMs: number
  /** From the first status that reports an engine error; a replica that reports one for longer is replaced. */
  sickDeadlineMs: number
  /** For the running queries of a replica that ends. */
  drainMs: number
  /** After the drain, for the replica to close the engine. */
  endGraceMs: number
  /** A replica ends by itself when no control plane has asked for its status for this long. */
  orphanAfterMs: number
  /** For all replicas together, when the control plane ends. */
  closeMs: number
}

/** Each limit is several times the usual duration, so that load alone does not exceed it. */
export function limitsFor({ startEstimateMs, emulated }: Runtime, given: Partial<Limits> = {}): Limits {
  const slow = emulated ? 5 : 1
  return {
    pollMs: 1_000,
    startPollMs: 20,
    statusTimeoutMs: 2_000 * slow,
    startDeadlineMs: Math.max(60_000, 12 * startEstimateMs),
    startTurnMs: 5 * startEstimateMs,
    silentDeadlineMs: 30_000 * slow,
    sickDeadlineMs: 5_000 * slow,
    drainMs: 30_000,
    endGraceMs: 5_000 * slow,
    wellMs: 30_000,
    servedMs: 3_000 * slow,
    backoff: { baseMs: 500, maxMs: 30_000 },
    orphanAfterMs: 60_000,
    closeMs: 10_000,
    ...given,
  }
}
