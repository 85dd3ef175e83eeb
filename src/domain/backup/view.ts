import type { BackupRecord } from './types.ts'

/** A backup as the interface shows it. While it runs, its duration grows and it has no end time. */
export function viewBackup(record: BackupRecord, nowMs: number) {
  const end = record.finishedAtMs ?? Math.max(nowMs, record.startedAtMs)
  const { status, checkedAtMs, reason } = record.verification
  return {
    id: record.id,
    serviceId: record.serviceId,
    startedAt: new Date(record.startedAtMs).toISOString(),
    finishedAt: timeOrNone(record.finishedAtMs),
    sizeInBytes: record.sizeInBytes,
    durationInSeconds: Math.round((end - record.startedAtMs) / 1000),
    backupName: record.backupName,
    bucket: record.bucket,
    // A damaged backup cannot be restored, so callers see it as failed.
    status: record.damaged ? ('error' as const) : record.status,
    type: record.type,
    reason: record.damaged ? `it is damaged: ${reason}` : record.reason,
    baseBackupId: record.baseId ?? '',
    requestedBy: record.requestedBy,
    progress: { ...record.progress, percent: percentOf(record) },
    verification: { status, checkedAt: timeOrNone(checkedAtMs), reason },
  }
}

const timeOrNone = (ms: number | null) => (ms === null ? '' : new Date(ms).toISOString())

/** Progress of the backup, or of the verification of a finished one. 100 appears only once it has ended. */
function percentOf({ status, progress, verification }: BackupRecord): number {
  const runs = status === 'in_progress' || verification.status === 'in_progress'
  if (status === 'done' && !runs) return 100
  const { bytes, totalBytes, files, totalFiles } = progress
  const share = totalBytes > 0 ? bytes / totalBytes : totalFiles > 0 ? files / totalFiles : 0
  return Math.min(99, Math.max(0, Math.floor(share * 100)))
}
