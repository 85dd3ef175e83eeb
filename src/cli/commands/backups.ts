import { Option } from 'commander'
import type { CommandDefinition, GroupDefinition } from '../command.ts'
import { createBody, createService, type NewServiceFlags, newServiceOptions } from '../new-service.ts'
import { type Operands, operandsOf, paramsOf } from '../operands.ts'
import { commandOf } from '../operation-command.ts'
import { backupBlock, backupsTable } from '../show/backup.ts'
import { parseDuration } from '../units.ts'
import { watchBackup, watchVerification } from '../wait-backup.ts'
import { backupBucket } from './backup-bucket.ts'
import { backupConfiguration } from './backup-configuration.ts'

const list = commandOf('backups.list', {
  summary: 'List the backups of a service, newest first',
  examples: ['granary backups list analytics', 'granary backups list analytics --limit 1'],
  show: backupsTable,
})

const create = commandOf('backups.create', {
  summary: 'Back up a service now',
  details: 'One is made at a time. Once it is done, everything in it is read back.',
  examples: ['granary backups create analytics --wait --timeout 1h'],
  watch: watchBackup,
  show: backupBlock,
})

const get = commandOf('backups.get', {
  summary: 'Show a backup',
  examples: ['granary backups get analytics <backup id>'],
  show: backupBlock,
})

const verify = commandOf('backups.verify', {
  summary: 'Read a backup back, to see that it is whole',
  details:
    'Every backup is read back when it is made; this does it again, with the backups that it stands on. With --wait, one that is damaged ends the command with exit code 1.',
  examples: ['granary backups verify analytics <backup id> --wait --timeout 1h'],
  watch: watchVerification,
  show: backupBlock,
})

interface RestoreFlags extends NewServiceFlags {
  wait: boolean
  /** Milliseconds. */
  timeout: number
}

const restore: CommandDefinition = {
  name: 'restore',
  summary: 'Begin a new service with the data of a backup',
  details:
    'The service that was backed up stays as it is. Waits until the new one runs, unless --no-wait says otherwise. Its password is shown once: only its hash is kept.',
  operands: operandsOf('backups.get'),
  options: [
    ...newServiceOptions('name of the new service'),
    new Option('--no-wait', 'do not wait until it runs'),
    new Option('--timeout <time>', 'how long to wait: 90, 90s, 5m, 1h')
      .argParser(parseDuration)
      .default(3_600_000, '1h'),
  ],
  examples: [
    'granary backups restore analytics <backup id> --name analytics-restored',
    'granary backups restore analytics <backup id> --name drill --replicas 1 --no-wait',
  ],
  async run(session, operands: Operands, flags: RestoreFlags) {
    const { client, signal } = session
    const params = await paramsOf(session, 'backups.get', operands)
    // The backup is looked up through its service, so that a typo in either id cannot restore another backup.
    const backup = await client.call('backups.get', { params, signal })
    await createService(session, createBody({ ...flags, backup: backup.id }), flags)
  },
}

export const backups: GroupDefinition = {
  name: 'backups',
  summary: 'Backups of a service',
  commands: [list, create, get, verify, restore, backupBucket, backupConfiguration],
}
