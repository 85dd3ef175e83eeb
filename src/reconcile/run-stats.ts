import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/running.ts'
import type { Claim } from '../lib/work-queue.ts'
import type { RunEnd, RunOutcome } from './run.ts'

/** Counts since the process started; `running` and `stuck` are current values. */
export interface KindStatus {
  running: number
  /** Runs that ended, with any outcome. */
  runs: number
  failures: number
  terminal: number
  /** Resources that failed ten times in a row. */
  stuck: number
  lastError: { id: string; reason: string; atMs: number } | null
}

/** Receives every finished run; see `RunOutcome` for the label's values. */
export interface DriverMetrics {
  finished(kind: string, outcome: RunOutcome, tookMs: number): void
}

export interface RunStats {
  started(claim: Claim): void
  ended(claim: Claim, end: RunEnd): void
  running(kind: string): number
  status(): Record<string, KindStatus>
}

const stuckAfterRuns = 10

interface RunStatsOptions {
  kinds: readonly string[]
  clock: Clock
  log: Log
  /** Must be longer than any wait between two runs of one resource that this driver would retry itself. */
  forgetAfterMs: number
}

export function createRunStats({ kinds, clock, log, forgetAfterMs }: RunStatsOptions): RunStats {
  // Every kind is present from the start, so that metrics and status pages show zeros before the first run.
  const byKind = new Map<string, KindStatus>(kinds.map((kind) => [kind, zero()]))
  // Holds only failing resources; the one that ran last is at the end.
  const failing = new Map<string, { kind: string; runs: number; atMs: number }>()

  const of = (kind: string): KindStatus => {
    const status = byKind.get(kind) ?? zero()
    byKind.set(kind, status)
    return status
  }

  function rested(key: string): void {
    const streak = failing.get(key)
    if (streak && streak.runs >= stuckAfterRuns) of(streak.kind).stuck -= 1
    failing.delete(key)
  }

  /** `attempts` outlives this process and is counted for all drivers together. */
  function failedAgain({ kind, id }: Claim, key: string, attempts: number): void {
    const before = failing.get(key)?.runs ?? 0
    const runs = Math.max(before + 1, attempts)
    failing.delete(key)
    failing.set(key, { kind, runs, atMs: clock.now() })
    if (before >= stuckAfterRuns || runs < stuckAfterRuns) return
    of(kind).stuck += 1
    log.error({ kind, id, runs }, 'stuck: fails again and again')
  }

  /** A resource that has not run here for `forgetAfterMs` was taken over by another driver. */
  function forgetOld(): void {
    for (const [key, { atMs }] of failing) {
      if (clock.now() - atMs < forgetAfterMs) return
      rested(key)
    }
  }

  return {
    started({ kind }) {
      of(kind).running += 1
    },
    ended(claim, { quiet, failure }) {
      const status = of(claim.kind)
      const key = JSON.stringify([claim.kind, claim.id])
      status.running -= 1
      status.runs += 1
      if (failure) {
        status.failures += 1
        if (failure.terminal) status.terminal += 1
        status.lastError = { id: claim.id, reason: failure.reason, atMs: clock.now() }
      }
      // A run that a newer intent overtook changes no count of failures: the resource is being changed right now.
      if (quiet) rested(key)
      else if (failure) failedAgain(claim, key, failure.attempts)
      forgetOld()
    },
    running: (kind) => byKind.get(kind)?.running ?? 0,
    status() {
      forgetOld()
      return Object.fromEntries([...byKind].map(([kind, status]) => [kind, { ...status }]))
    },
  }
}

const zero = (): KindStatus => ({ running: 0, runs: 0, failures: 0, terminal: 0, stuck: 0, lastError: null })
