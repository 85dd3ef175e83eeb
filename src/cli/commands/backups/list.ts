import type { CommandDefinition } from '../../command.ts'
import { serviceId } from '../../lookup.ts'
import { limitOption } from '../../options.ts'
import { listAll } from '../../paging.ts'
import { backupsTable } from '../../show/backup.ts'
import { serviceOperand } from '../services/operand.ts'

export const backupsList: CommandDefinition = {
  name: 'list',
  summary: 'List the backups of a service, newest first',
  operands: [serviceOperand],
  options: [limitOption],
  examples: ['granary backups list analytics', 'granary backups list analytics --limit 1'],
  async run(session, { service }: { service: string }, { limit }: { limit?: number }) {
    const params = { serviceId: await serviceId(session, service) }
    const found = await listAll(session, 'backups.list', { params }, limit)
    session.output.result(found, (form) => backupsTable(form, found))
  },
}
