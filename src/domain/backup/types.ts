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
  /** null while the backup runs. */
  finishedAtMs: number | null
  status: BackupStatus
  type: BackupType
  /** Why the backup is in that status, for a person. */
  reason: string
  /** Size at its place, without its bases; while the backup runs, the bytes written so far. */
  sizeInBytes: number
  /** The backup that this one is based on, known once it began; null = this one is full. */
  baseId: string | null
  requestedBy: 'schedule' | 'user'
  /** `local`, or the id of the bucket's configuration. */
  place: string
  /** The backup was found incomplete after it was done. */
  damaged: boolean
  progress: { bytes: number; totalBytes: number; files: number; totalFiles: number }
  /** How often the backup was started; absent = not yet. It limits the restarts of an interrupted one. */
  attempts?: number
  /**
   * The backup is past retention and being removed: first its files, then this record. Its status is `error`.
   */
  removing?: true
  verification: BackupVerification
  /** '' and empty parts unless the backup went to a bucket of the user. */
  backupName: string
  bucket: { bucketPath: string; iamRoleArn: string; iamRoleSessionName: string }
}

/** A backup is read back after it was made (as a part of making it), and again whenever a user asks for it. */
export interface BackupVerification {
  status: 'none' | 'in_progress' | 'good' | 'damaged'
  /** When the last verification ended; null = none has. */
  checkedAtMs: number | null
  /** Why the backup is damaged (names the file), or could not be checked. */
  reason: string
  /** During a verification: failed reads in a row; absent = none. */
  failures?: number
}

export interface BackupConfiguration {
  backupPeriodInHours: number
  backupRetentionPeriodInHours: number
  /** `HH:00` UTC; '' = no fixed time. Only for periods of 24 and 48 hours. */
  backupStartTime: string
}
