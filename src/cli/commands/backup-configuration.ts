import { InvalidArgumentError, Option } from 'commander'
import type { GroupDefinition } from '../command.ts'
import { commandOf } from '../operation-command.ts'
import { defined, someChange } from '../options.ts'
import { backupConfigurationBlock } from '../show/backup.ts'

const get = commandOf('backupConfiguration.get', {
  summary: 'Show when backups are made and how long they are kept',
  examples: ['granary backups configuration get analytics'],
  show: backupConfigurationBlock,
})

/** `default` becomes null only later: the parser would turn a null into an empty string. */
interface Flags {
  period?: number | 'default'
  retention?: number | 'default'
  startTime?: string
}

const hours = (text: string): number | 'default' => {
  if (text === 'default') return text
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value))
    throw new InvalidArgumentError('it must be hours or default.')
  return value
}

const orNull = <T>(value: T): Exclude<T, 'default'> | null =>
  value === 'default' ? null : (value as Exclude<T, 'default'>)

const update = commandOf('backupConfiguration.update', {
  summary: 'Change when backups are made and how long they are kept',
  options: [
    new Option('--period <hours>', 'hours between backups, or default').argParser(hours),
    new Option('--retention <hours>', 'hours that a backup is kept, or default').argParser(hours),
    new Option('--start-time <HH:00>', 'hour of the day in UTC, or default; for periods of 24 and 48 hours'),
  ],
  examples: [
    'granary backups configuration update analytics --period 24 --start-time 03:00',
    'granary backups configuration update analytics --retention 168',
    'granary backups configuration update analytics --period default',
  ],
  body: ({ period, retention, startTime }: Flags) =>
    someChange(
      defined({
        backupPeriodInHours: orNull(period),
        backupRetentionPeriodInHours: orNull(retention),
        backupStartTime: orNull(startTime),
      }),
    ),
  show: backupConfigurationBlock,
})

export const backupConfiguration: GroupDefinition = {
  name: 'configuration',
  summary: 'When backups are made and how long they are kept',
  commands: [get, update],
}
