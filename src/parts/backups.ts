import { type BackupLoopsParts, createBackupLoops } from '../reconcile/backup/loops.ts'
import type { PurgeBackups } from '../reconcile/backup/removal.ts'
import type { Part } from './part.ts'

export interface BackupsPart extends Part {
  /** null where no backups are made. */
  purge: PurgeBackups | null
}

/** Backups are made, verified, scheduled and removed. */
export function createBackupsPart(parts: BackupLoopsParts): BackupsPart {
  const { runtime } = parts
  const { loops, purge, counts, close } = createBackupLoops(parts)
  return {
    name: 'backups',
    purge,
    loops,
    hints: (hint) => runtime?.onEnd((backupId) => hint('backup', backupId)) ?? (() => {}),
    gauges: [
      {
        name: 'granary_backups_total',
        help: 'Backups that ended since the start, by status.',
        labels: ['status'],
        read: () => Object.entries(counts()).map(([status, value]) => ({ labels: { status }, value })),
      },
    ],
    stop: { jobs: close },
  }
}
