import type { ResultOf } from '../../api/operations.ts'
import type { Cell } from '../layout.ts'
import type { Form } from '../output.ts'
import { bytes, duration, fullTime, relativeTime } from '../units.ts'
import { explained, stateCell } from './state.ts'

export type Backup = ResultOf<'backups.get'>
export type Bucket = ResultOf<'backupBucket.get'>

export function backupsTable(form: Form, backups: readonly Backup[]): string {
  if (backups.length === 0) return 'no backups yet'
  const headings = ['STARTED', 'STATUS', 'CHECKED', 'TYPE', 'SIZE', 'TOOK', 'ID']
  const rows = backups.map((backup) => [
    relativeTime(backup.startedAt, form.nowMs),
    runs(backup) ? stateCell(backup.status, `${backup.progress.percent} %`) : stateCell(backup.status),
    stateCell(backup.verification.status),
    backup.type,
    bytes(backup.sizeInBytes),
    duration(backup.durationInSeconds * 1000),
    backup.id,
  ])
  return form.table(headings, rows)
}

/** One line for each service. */
export function allBackupsTable(form: Form, services: ResultOf<'organizations.backups'>): string {
  if (services.length === 0) return 'no services yet'
  const headings = ['SERVICE', 'NEWEST', 'STATUS', 'NEWEST GOOD', 'NEXT', 'ID']
  const rows = services.map(({ serviceName, serviceId, newest, newestGood, running, nextDueAt }) => [
    serviceName,
    newest ? relativeTime(newest.startedAt, form.nowMs) : 'none',
    newest ? stateCell(newest.status, running ? `${running.progress.percent} %` : undefined) : '',
    newestGood ? relativeTime(newestGood.startedAt, form.nowMs) : 'none',
    relativeTime(nextDueAt, form.nowMs),
    serviceId,
  ])
  return form.table(headings, rows)
}

export function backupBlock(form: Form, backup: Backup): string {
  return form.block([
    ['id', backup.id],
    ['service', backup.serviceId],
    ['status', explained(backup.status, backup.reason)],
    ['progress', isBusy(backup) ? progressText(backup.progress) : ''],
    ['read back', checked(form, backup)],
    ['type', backup.type],
    ['stands on', backup.baseBackupId],
    ['asked by', backup.requestedBy],
    ['size', bytes(backup.sizeInBytes)],
    ['took', duration(backup.durationInSeconds * 1000)],
    ['started', fullTime(backup.startedAt, form.nowMs)],
    ['finished', fullTime(backup.finishedAt, form.nowMs)],
    ['name', backup.backupName],
    ['bucket', backup.bucket.bucketPath],
  ])
}

/** `43 %, 1.2 GiB of 2.8 GiB, 3 of 9 files`. */
export function progressText(progress: Backup['progress']): string {
  const { percent, bytes: done, totalBytes, files, totalFiles } = progress
  const amount = totalBytes > 0 ? `${bytes(done)} of ${bytes(totalBytes)}` : bytes(done)
  return `${percent} %, ${amount}${totalFiles > 0 ? `, ${files} of ${totalFiles} files` : ''}`
}

const runs = ({ status }: Backup): boolean => status === 'in_progress'
const isBusy = (backup: Backup): boolean => runs(backup) || backup.verification.status === 'in_progress'

function checked(form: Form, { verification: { status, checkedAt, reason } }: Backup): Cell {
  const when = checkedAt ? `, ${relativeTime(checkedAt, form.nowMs)}` : ''
  return stateCell(status, `${status}${when}${reason ? `: ${reason}` : ''}`)
}

export function bucketBlock(form: Form, bucket: Bucket): string {
  return form.block([
    ['path', bucket.bucketPath],
    ['access key', bucket.accessKeyId || (bucket.iamRoleArn ? '' : 'none: as whoever runs the server')],
    ['role', bucket.iamRoleArn],
    ['session', bucket.iamRoleSessionName],
    ['changed', fullTime(bucket.updatedAt, form.nowMs)],
    ['id', bucket.id],
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
