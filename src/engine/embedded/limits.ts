import type { HistoryLimits } from '../../process/supervise/history.ts'
import type { WatchLimits } from '../../process/supervise/kind.ts'
import type { Runtime } from './runtime.ts'

/** How long things may take, all in milliseconds. */
export interface Limits extends WatchLimits, HistoryLimits {
  /** From its start to its first answer; what takes longer is replaced. */
  startDeadlineMs: number
  /** From the first question that was not answered; what is silent for longer is replaced. */
  silentDeadlineMs: number
  /** From the first answer which said that the engine serves nobody; what says so for longer is replaced. */
  sickDeadlineMs: number
  /** For queries that run when a replica is to end. */
  drainMs: number
  /** After that, for the replica to close the engine. */
  endGraceMs: number
  /** A replica ends by itself when nobody has asked for its status for so long. */
  orphanAfterMs: number
  /** For all replicas together, when the control plane ends. */
  closeMs: number
}

/** A start or an answer that is a few times slower than usual is load, not death. */
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
