import { backupPeriodsInHours, backupRetentionHours } from '../domain/backup/configuration.ts'
import { backupStatuses, backupTypes } from '../domain/backup/types.ts'
import { closed, dateTime, oneOf, optional, Type, text, uuid } from './schema.ts'

export const Backup = closed({
  id: uuid('The backup.'),
  serviceId: text('The service.'),
  startedAt: dateTime('When it began.'),
  finishedAt: text('When it ended (ISO 8601); empty while it runs.'),
  sizeInBytes: Type.Number({ description: 'What it takes, without what it stands on.' }),
  durationInSeconds: Type.Number({ description: 'How long it took, or has taken so far.' }),
  backupName: text('Its name in a bucket of your own; else empty.'),
  bucket: closed(
    {
      bucketPath: text('Where.'),
      iamRoleArn: text('As whom.'),
      iamRoleSessionName: text('As whom.'),
    },
    { description: 'Filled for backups to a bucket of your own.' },
  ),
  status: oneOf(backupStatuses, 'How far it is.'),
  type: oneOf(backupTypes, 'Whether it stands on an earlier one.'),
  reason: text('Why it is in that status.'),
  baseBackupId: text('The backup that an incremental one stands on; empty for a full one.'),
  requestedBy: oneOf(['schedule', 'user'], 'Who asked for it.'),
  progress: closed(
    {
      bytes: Type.Number({ description: 'Bytes so far.' }),
      totalBytes: Type.Number({ description: 'Bytes in all; 0 while that is not known.' }),
      files: Type.Number({ description: 'Files so far.' }),
      totalFiles: Type.Number({ description: 'Files in all; 0 while that is not known.' }),
      percent: Type.Number({ description: '100 only when it has ended well.' }),
    },
    { description: 'How far it is with what it does now: the backup itself, or reading it back.' },
  ),
  verification: closed(
    {
      status: oneOf(
        ['none', 'in_progress', 'good', 'damaged'],
        'damaged: it is incomplete and cannot be restored.',
      ),
      checkedAt: text('When it was last read back (ISO 8601); empty for never.'),
      reason: text('What is damaged, or why it could not be read back.'),
    },
    { description: 'Whether everything was read back as it was written: after it was made, and on request.' },
  ),
})

const nullable = (schema: object, description: string) => ({
  ...schema,
  description: `${description} null: back to the default.`,
})

export const BackupConfigurationBody = closed({
  backupPeriodInHours: optional(
    Type.Unsafe<number | null>(nullable({ enum: [...backupPeriodsInHours, null] }, 'Hours between backups.')),
  ),
  backupRetentionPeriodInHours: optional(
    Type.Unsafe<number | null>(
      nullable(
        {
          type: ['number', 'null'],
          minimum: backupRetentionHours.min,
          maximum: backupRetentionHours.max,
          multipleOf: backupRetentionHours.step,
        },
        'Hours that a backup is kept.',
      ),
    ),
  ),
  backupStartTime: optional(
    Type.Unsafe<string | null>(
      nullable(
        { type: ['string', 'null'], pattern: '^(([01][0-9]|2[0-3]):00)?$' },
        'Hour of the day, UTC, as `HH:00`; for periods of 24 and 48 hours.',
      ),
    ),
  ),
})

export const BackupConfiguration = closed({
  backupPeriodInHours: Type.Number({ description: 'Hours between backups.' }),
  backupRetentionPeriodInHours: Type.Number({ description: 'Hours that a backup is kept.' }),
  backupStartTime: text('Hour of the day, UTC, as `HH:00`; empty for none.'),
})
