import type { ResultOf } from '../../api/operations.ts'
import type { Form } from '../output.ts'
import { bytes, duration, fullTime, relativeTime } from '../units.ts'
import { explained, stateCell } from './state.ts'

export type Backup = ResultOf<'backups.get'>

export function backupsTable(form: Form, backups: readonly Backup[]): string {
  if (backups.length === 0) return 'no backups yet'
  const headings = ['STARTED', 'STATUS', 'TYPE', 'SIZE', 'TOOK', 'ID']
  const rows = backups.map((backup) => [
    relativeTime(backup.startedAt, form.nowMs),
    stateCell(backup.status),
    backup.type,
    bytes(backup.sizeInBytes),
    duration(backup.durationInSeconds * 1000),
    backup.id,
  ])
  return form.table(headings, rows)
}

export function backupBlock(form: Form, backup: Backup): string {
  return form.block([
    ['id', backup.id],
    ['service', backup.serviceId],
    ['status', explained(backup.status, backup.reason)],
    ['type', backup.type],
    ['size', bytes(backup.sizeInBytes)],
    ['took', duration(backup.durationInSeconds * 1000)],
    ['started', fullTime(backup.startedAt, form.nowMs)],
    ['finished', fullTime(backup.finishedAt, form.nowMs)],
    ['name', backup.backupName],
    ['bucket', backup.bucket.bucketPath],
  ])
}

export function backupConfigurationBlock(
  form: Form,
  { backupPeriodInHours, backupRetentionPeriodInHours, backupStartTime }: ResultOf<'backupConfiguration.get'>,
): string {
  return form.block([
    ['every', `${backupPeriodInHours} h`],
    ['at', backupStartTime ? `${backupStartTime} UTC` : 'any time'],
    ['kept for', `${backupRetentionPeriodInHours} h`],
  ])
}
