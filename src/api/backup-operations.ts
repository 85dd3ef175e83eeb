import { Backup, BackupConfiguration, BackupConfigurationBody } from './backup.ts'
import { BackupBucket, BackupBucketBody, BackupBucketPatchBody } from './backup-bucket.ts'
import type { OperationDetails } from './operation.ts'
import { onService, organizationId, paging, serviceId } from './parameters.ts'
import { closed, list, uuid } from './schema.ts'

const onBackup = closed({ organizationId, serviceId, backupId: uuid('The backup.') })

export const backupOperations = {
  'backups.list': {
    summary: 'List backups',
    permission: 'backups:view',
    params: onService,
    query: paging,
    result: list(Backup, 'Newest first.'),
    errors: [],
  },
  'backups.create': {
    summary: 'Back up a service now',
    permission: 'backups:manage',
    params: onService,
    result: Backup,
    errors: ['CONFLICT'],
  },
  'backups.get': {
    summary: 'Get a backup',
    permission: 'backups:view',
    params: onBackup,
    result: Backup,
    errors: [],
  },
  'backups.verify': {
    summary: 'Read a backup back',
    description:
      'Reads all of it, and of the backups that it stands on, and compares it with what was written. The result is the `verification` of the backup, later.',
    permission: 'backups:manage',
    params: onBackup,
    result: Backup,
    errors: ['CONFLICT'],
  },
  'backupConfiguration.get': {
    summary: 'Get the backup configuration',
    permission: 'backups:view',
    params: onService,
    result: BackupConfiguration,
    errors: [],
  },
  'backupConfiguration.update': {
    summary: 'Change the backup configuration',
    permission: 'backups:manage',
    params: onService,
    body: BackupConfigurationBody,
    result: BackupConfiguration,
    errors: ['CONFLICT'],
  },
  'backupBucket.get': {
    summary: 'Get the backup bucket',
    description: 'Not found while backups go to the local folder of the server.',
    permission: 'backups:view',
    params: onService,
    result: BackupBucket,
    errors: [],
  },
  'backupBucket.create': {
    summary: 'Send backups to a bucket of your own',
    description:
      'The bucket is tried first: something small is written, read and removed. What does not work is not kept.',
    permission: 'backups:manage',
    params: onService,
    body: BackupBucketBody,
    result: BackupBucket,
    errors: ['CONFLICT'],
  },
  'backupBucket.update': {
    summary: 'Change the backup bucket',
    description:
      'Tried first, as at creation. With new keys for the same path, earlier backups there use them too; with another path, they stay where they are and keep theirs.',
    permission: 'backups:manage',
    params: onService,
    body: BackupBucketPatchBody,
    result: BackupBucket,
    errors: ['CONFLICT'],
  },
  'backupBucket.delete': {
    summary: 'Send backups to the local folder again',
    description: 'Backups in the bucket stay there and can be restored; they go by their retention.',
    permission: 'backups:manage',
    params: onService,
    result: BackupBucket,
    errors: ['CONFLICT'],
  },
} as const satisfies Record<string, OperationDetails>
