import type { CommandDefinition } from '../../command.ts'
import { serviceId } from '../../lookup.ts'
import { timeoutOption, type WaitOptions, waitOption } from '../../options.ts'
import { backupBlock } from '../../show/backup.ts'
import { serviceOperand } from '../services/operand.ts'
import { watchBackup } from './watch.ts'

export const backupsCreate: CommandDefinition = {
  name: 'create',
  summary: 'Back up a service now',
  details: 'One is made at a time. Once it is done, everything in it is read back.',
  operands: [serviceOperand],
  options: [waitOption, timeoutOption],
  examples: ['granary backups create analytics --wait --timeout 1h'],
  async run(session, { service }: { service: string }, { wait, timeout }: WaitOptions) {
    const { client, output, signal } = session
    const params = { serviceId: await serviceId(session, service) }
    const created = await client.call('backups.create', { params, signal })
    const { last, error } = wait ? await watchBackup(session, created, timeout) : { last: created }
    const result = last ?? created
    output.result(result, (form) => backupBlock(form, result))
    if (error) throw error
  },
}
