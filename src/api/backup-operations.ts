import { Backup, BackupConfiguration, BackupConfigurationBody } from './backup.ts'
import type { Operation } from './operation.ts'
import { onService, organizationId, paging, service, serviceId } from './paths.ts'
import { closed, list, uuid } from './schema.ts'

const onBackup = closed({ organizationId, serviceId, backupId: uuid('The backup.') })

export const backupOperations = {
  'backups.list': {
    method: 'GET',
    path: `${service}/backups`,
    summary: 'List backups',
    permission: 'backups:view',
    params: onService,
    query: paging,
    result: list(Backup, 'Newest first.'),
    errors: [],
  },
  'backups.create': {
    method: 'POST',
    path: `${service}/backups`,
    summary: 'Back up a service now',
    permission: 'backups:manage',
    params: onService,
    result: Backup,
    errors: ['CONFLICT'],
  },
  'backups.get': {
    method: 'GET',
    path: `${service}/backups/{backupId}`,
    summary: 'Get a backup',
    permission: 'backups:view',
    params: onBackup,
    result: Backup,
    errors: [],
  },
  'backupConfiguration.get': {
    method: 'GET',
    path: `${service}/backupConfiguration`,
    summary: 'Get the backup configuration',
    permission: 'backups:view',
    params: onService,
    result: BackupConfiguration,
    errors: [],
  },
  'backupConfiguration.update': {
    method: 'PATCH',
    path: `${service}/backupConfiguration`,
    summary: 'Change the backup configuration',
    permission: 'backups:manage',
    params: onService,
    body: BackupConfigurationBody,
    result: BackupConfiguration,
    errors: ['CONFLICT'],
  },
} as const satisfies Record<string, Omit<Operation, 'id'>>
