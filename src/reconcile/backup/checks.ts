import type { BackupProgress, BackupRuntime, BackupSource, Verdict } from '../../engine/backup.ts'
import type { Clock } from '../../lib/clock.ts'

export type CheckState =
  | { state: 'running'; progress: BackupProgress }
  | { state: 'ended'; verdict: Verdict }
  /** It could not be read just now; the next look begins anew. `failures` in a row, this one included. */
  | { state: 'failed'; reason: string; failures: number }

/** Backups that are read back, beside the loop: that takes hours, and a run of the loop should not. */
export interface BackupChecks {
  /** Begins it at the first look. */
  look(source: BackupSource): CheckState
  /** Ends it, if it goes on. */
  forget(backupId: string): void
  close(): Promise<void>
}

type Outcome = { verdict: Verdict } | { reason: string }

interface Check {
  stop: AbortController
  progress: BackupProgress
  movedAtMs: number
  outcome: Outcome | null
  ended: Promise<void>
}

/** One that gets nowhere for so long hangs. */
export const stallMs = 60 * 60_000

export function createBackupChecks({
  runtime,
  clock,
}: {
  runtime: BackupRuntime
  clock: Clock
}): BackupChecks {
  const checks = new Map<string, Check>()
  const failures = new Map<string, number>()

  function begin(source: BackupSource): Check {
    const check: Check = {
      stop: new AbortController(),
      progress: { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0 },
      movedAtMs: clock.now(),
      outcome: null,
      ended: Promise.resolve(),
    }
    const moved = (progress: BackupProgress) => {
      check.progress = { ...progress }
      check.movedAtMs = clock.now()
    }
    const end = (outcome: Outcome) => {
      check.outcome ??= outcome
    }
    check.ended = runtime.verify(source, moved, check.stop.signal).then(
      (verdict) => end({ verdict }),
      (error: unknown) => end({ reason: messageOf(error) }),
    )
    checks.set(source.backupId, check)
    return check
  }

  function forget(backupId: string): void {
    checks.get(backupId)?.stop.abort()
    checks.delete(backupId)
    failures.delete(backupId)
  }

  return {
    look(source) {
      const { backupId } = source
      const check = checks.get(backupId) ?? begin(source)
      if (check.outcome === null && clock.now() - check.movedAtMs > stallMs) {
        check.outcome = { reason: 'reading it back got nowhere for an hour' }
      }
      const { outcome, progress } = check
      if (outcome === null) return { state: 'running', progress }
      if ('verdict' in outcome) {
        forget(backupId)
        return { state: 'ended', verdict: outcome.verdict }
      }
      const count = (failures.get(backupId) ?? 0) + 1
      forget(backupId)
      failures.set(backupId, count)
      return { state: 'failed', reason: outcome.reason, failures: count }
    },
    forget,
    async close() {
      const open = [...checks.values()]
      for (const { stop } of open) stop.abort()
      await Promise.all(open.map(({ ended }) => ended))
    },
  }
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : String(error)
