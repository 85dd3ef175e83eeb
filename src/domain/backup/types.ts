export const backupStatuses = ['in_progress', 'done', 'error'] as const
export type BackupStatus = (typeof backupStatuses)[number]

export const backupTypes = ['full', 'incremental'] as const
export type BackupType = (typeof backupTypes)[number]

export interface BackupRecord {
  id: string
  organizationId: string
  serviceId: string
  generation: number
  startedAtMs: number
  /** null while it runs. */
  finishedAtMs: number | null
  status: BackupStatus
  type: BackupType
  /** Why it is in that status, for a person. */
  reason: string
  /** What it takes at its place, without what it stands on; while it runs, what was written so far. */
  sizeInBytes: number
  /** The backup that it stands on, known once it began; null = it is full. */
  baseId: string | null
  requestedBy: 'schedule' | 'user'
  /** `local`, or the id of the bucket's configuration. */
  place: string
  /** Found incomplete after it was done. */
  damaged: boolean
  progress: { bytes: number; totalBytes: number; files: number; totalFiles: number }
  /** How often it was begun; absent = not yet. What was cut off is begun anew, but not for ever. */
  attempts?: number
  /** It is out of retention and goes for good: its files first, then this record. Its status is then `error`. */
  removing?: true
  verification: BackupVerification
  /** '' and empty parts unless the backup went to a bucket of the user's own. */
  backupName: string
  bucket: { bucketPath: string; iamRoleArn: string; iamRoleSessionName: string }
}

/** Reading a backup back: after it was made (as a part of making it), and again whenever it is asked for. */
export interface BackupVerification {
  status: 'none' | 'in_progress' | 'good' | 'damaged'
  /** When it ended; null = not yet. */
  checkedAtMs: number | null
  /** Why it is damaged (names the file), or could not be checked. */
  reason: string
  /** While it is in progress: how often in a row it could not be read; absent = never. */
  failures?: number
}

export interface BackupConfiguration {
  backupPeriodInHours: number
  backupRetentionPeriodInHours: number
  /** `HH:00` UTC; '' = no fixed time. Only for periods of 24 and 48 hours. */
  backupStartTime: string
}
