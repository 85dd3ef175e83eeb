import type { CommandDefinition } from '../../../command.ts'
import { serviceId } from '../../../lookup.ts'
import { backupConfigurationBlock } from '../../../show/backup.ts'
import { serviceOperand } from '../../services/operand.ts'

export const backupsConfigurationGet: CommandDefinition = {
  name: 'get',
  summary: 'Show when backups are made and how long they are kept',
  operands: [serviceOperand],
  examples: ['granary backups configuration get analytics'],
  async run(session, { service }: { service: string }) {
    const { client, output, signal } = session
    const params = { serviceId: await serviceId(session, service) }
    const found = await client.call('backupConfiguration.get', { params, signal })
    output.result(found, (form) => backupConfigurationBlock(form, found))
  },
}
