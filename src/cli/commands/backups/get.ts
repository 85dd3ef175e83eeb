import type { CommandDefinition } from '../../command.ts'
import { serviceId } from '../../lookup.ts'
import { backupBlock } from '../../show/backup.ts'
import { serviceOperand } from '../services/operand.ts'
import { backupOperand } from './operand.ts'

export const backupsGet: CommandDefinition = {
  name: 'get',
  summary: 'Show a backup',
  operands: [serviceOperand, backupOperand],
  examples: ['granary backups get analytics <backup id>'],
  async run(session, { service, backup }: { service: string; backup: string }) {
    const { client, output, signal } = session
    const params = { serviceId: await serviceId(session, service), backupId: backup }
    const found = await client.call('backups.get', { params, signal })
    output.result(found, (form) => backupBlock(form, found))
  },
}
