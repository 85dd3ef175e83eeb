import type { CommandDefinition } from '../../command.ts'
import { serviceId } from '../../lookup.ts'
import { timeoutOption, type WaitOptions, waitOption } from '../../options.ts'
import { backupBlock } from '../../show/backup.ts'
import { serviceOperand } from '../services/operand.ts'
import { backupOperand } from './operand.ts'
import { watchVerification } from './watch.ts'

export const backupsVerify: CommandDefinition = {
  name: 'verify',
  summary: 'Read a backup back, to see that it is whole',
  details:
    'Every backup is read back when it is made; this does it again, with the backups that it stands on. With --wait, one that is damaged ends the command with exit code 1.',
  operands: [serviceOperand, backupOperand],
  options: [waitOption, timeoutOption],
  examples: ['granary backups verify analytics <backup id> --wait --timeout 1h'],
  async run(session, operands: { service: string; backup: string }, { wait, timeout }: WaitOptions) {
    const { client, output, signal } = session
    const params = { serviceId: await serviceId(session, operands.service), backupId: operands.backup }
    const asked = await client.call('backups.verify', { params, signal })
    const { last, error } = wait ? await watchVerification(session, asked, timeout) : { last: asked }
    const result = last ?? asked
    output.result(result, (form) => backupBlock(form, result))
    if (error) throw error
  },
}
