import type { BackupLocations, BackupRuntime } from '../../engine/backup.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { Loop } from '../loop.ts'
import { createBackupLoop } from './loop.ts'
import { createBackupPurge, type PurgeBackups } from './removal.ts'
import { createBackupScheduleLoop } from './schedule.ts'

export interface BackupLoops {
  loops: Loop[]
  /** null where nothing is backed up. */
  purge: PurgeBackups | null
  /** How many ended in this process, by how they did. */
  counts(): Record<'done' | 'error', number>
  /** After the driver has stopped: ends what still runs in this process. */
  close(): Promise<void>
}

/** Without an engine backups are not scheduled: they could only fail. Those that are asked for say so. */
export function createBackupLoops({
  runtime,
  wake,
  timeScale,
  ...shared
}: {
  store: Store
  runtime: BackupRuntime | null
  locations: BackupLocations
  clock: Clock
  home: string
  wake(kind: 'backup'): void
  timeScale: number
}): BackupLoops {
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
