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
  sizeInBytes: number
  /** '' and empty parts unless the backup went to a bucket of the user's own. */
  backupName: string
  bucket: { bucketPath: string; iamRoleArn: string; iamRoleSessionName: string }
}

export interface BackupConfiguration {
  backupPeriodInHours: number
  backupRetentionPeriodInHours: number
  /** `HH:00` UTC; '' = no fixed time. Only for periods of 24 and 48 hours. */
  backupStartTime: string
}
