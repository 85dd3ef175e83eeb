import type { BackupLocations, BackupRuntime } from '../../engine/backup.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { Loop } from '../loop.ts'
import { createBackupLoop } from './loop.ts'
import { createBackupPurge, type PurgeBackups } from './removal.ts'
import { createBackupScheduleLoop } from './schedule.ts'

export interface BackupLoops {
  loops: Loop[]
  /** null where no backups are made. */
  purge: PurgeBackups | null
  /** How many backups ended in this process, by outcome. */
  counts(): Record<'done' | 'error', number>
  /** Called after the driver has stopped: ends the backup jobs that still run in this process. */
  close(): Promise<void>
}

export interface BackupLoopsParts {
  store: Store
  /** null = this engine cannot make backups. */
  runtime: BackupRuntime | null
  locations: BackupLocations
  clock: Clock
  dataPlaneId: string
  wake(kind: 'backup'): void
  timeScale: number
}

/** Without an engine no backups are scheduled, since they could only fail; requested ones fail with that reason. */
export function createBackupLoops({ runtime, wake, timeScale, ...shared }: BackupLoopsParts): BackupLoops {
  const counts = { done: 0, error: 0 }
  const making = createBackupLoop({
    ...shared,
    runtime,
    ended(status) {
      counts[status] += 1
    },
  })
  const schedule = runtime ? [createBackupScheduleLoop({ ...shared, wake, timeScale })] : []
  return {
    loops: [making, ...schedule],
    purge: runtime && createBackupPurge({ store: shared.store, runtime }),
    counts: () => ({ ...counts }),
    close: async () => runtime?.close(),
  }
}
