import type { BackupRecord } from './types.ts'

/** A backup as the interface shows it. While it runs, its duration counts and it has no end. */
export function viewBackup(record: BackupRecord, nowMs: number) {
  const end = record.finishedAtMs ?? Math.max(nowMs, record.startedAtMs)
  return {
    id: record.id,
    serviceId: record.serviceId,
    startedAt: new Date(record.startedAtMs).toISOString(),
    finishedAt: record.finishedAtMs === null ? '' : new Date(record.finishedAtMs).toISOString(),
    sizeInBytes: record.sizeInBytes,
    durationInSeconds: Math.round((end - record.startedAtMs) / 1000),
    backupName: record.backupName,
    bucket: record.bucket,
    status: record.status,
    type: record.type,
    reason: record.reason,
  }
}
