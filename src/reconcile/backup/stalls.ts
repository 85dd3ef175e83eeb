import type { BackupObservation } from '../../engine/backup.ts'
import type { Clock } from '../../lib/clock.ts'

/** Remembers when each backup job last made progress. */
export interface Stalls {
  /** How long ago the job made progress, as far as this process saw; 0 unless the job runs. */
  lookedAt(backupId: string, observed: BackupObservation): number
  forget(backupId: string): void
}

export function createStalls(clock: Clock): Stalls {
  const moved = new Map<string, { text: string; atMs: number }>()
  return {
    lookedAt(backupId, observed) {
      if (observed.state !== 'running') {
        moved.delete(backupId)
        return 0
      }
      const text = `${observed.progress.bytes} ${observed.progress.files}`
      const last = moved.get(backupId)
      if (last?.text === text) return clock.now() - last.atMs
      moved.set(backupId, { text, atMs: clock.now() })
      return 0
    },
    forget: (backupId) => void moved.delete(backupId),
  }
}
