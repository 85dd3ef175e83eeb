import type { BackupRecord } from './types.ts'

/** The record of a requested backup. Whether it is full, and where it goes, is decided when it starts. */
export function requestBackup({
  id,
  service,
  startedAtMs,
  requestedBy,
  reason,
}: {
  id: string
  service: { id: string; organizationId: string }
  startedAtMs: number
  requestedBy: BackupRecord['requestedBy']
  reason: string
}): BackupRecord {
  return {
    id,
    organizationId: service.organizationId,
    serviceId: service.id,
    generation: 1,
    startedAtMs,
    finishedAtMs: null,
    status: 'in_progress',
    type: 'full',
    reason,
    sizeInBytes: 0,
    baseId: null,
    requestedBy,
    place: 'local',
    damaged: false,
    progress: { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0 },
    verification: { status: 'none', checkedAtMs: null, reason: '' },
    backupName: '',
    bucket: { bucketPath: '', iamRoleArn: '', iamRoleSessionName: '' },
  }
}
