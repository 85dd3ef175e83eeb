import type { BackupRecord } from '../domain/backup/types.ts'
import type { EngineRef } from './engine.ts'

/** The port behind which backups are made. */
export interface BackupRuntime {
  /** Begins the backup, or goes on with one that was begun; idempotent by the backup's id. */
  apply(backup: BackupRecord, ref: EngineRef): Promise<void>
  observe(backupId: string): Promise<BackupObservation>
}

export type BackupObservation =
  | { state: 'running'; sizeInBytes: number; progress: string }
  | { state: 'done'; sizeInBytes: number; type: BackupRecord['type'] }
  | { state: 'failed'; reason: string }
  | { state: 'absent' }
