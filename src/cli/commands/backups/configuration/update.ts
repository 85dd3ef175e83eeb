import { InvalidArgumentError, Option } from 'commander'
import type { CommandDefinition } from '../../../command.ts'
import { usageError } from '../../../failure.ts'
import { serviceId } from '../../../lookup.ts'
import { defined } from '../../../options.ts'
import { backupConfigurationBlock } from '../../../show/backup.ts'
import { serviceOperand } from '../../services/operand.ts'

/** `default` becomes null only later: the parser makes an empty text of a null. */
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

export const backupsConfigurationUpdate: CommandDefinition = {
  name: 'update',
  summary: 'Change when backups are made and how long they are kept',
  operands: [serviceOperand],
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
  async run(session, { service }: { service: string }, { period, retention, startTime }: Flags) {
    const { client, output, signal } = session
    const body = defined({
      backupPeriodInHours: orNull(period),
      backupRetentionPeriodInHours: orNull(retention),
      backupStartTime: orNull(startTime),
    })
    if (Object.keys(body).length === 0) throw usageError('say what to change: see --help')
    const params = { serviceId: await serviceId(session, service) }
    const changed = await client.call('backupConfiguration.update', { params, body, signal })
    output.result(changed, (form) => backupConfigurationBlock(form, changed))
  },
}
