import type { CommandDefinition } from '../../command.ts'
import { serviceId } from '../../lookup.ts'
import { limitOption } from '../../options.ts'
import { listAll } from '../../paging.ts'
import { pipesTable } from '../../show/pipe.ts'
import { serviceOperand } from '../services/operand.ts'

export const pipesList: CommandDefinition = {
  name: 'list',
  summary: 'List the pipes of a service, oldest first',
  operands: [serviceOperand],
  options: [limitOption],
  examples: ['granary pipes list analytics'],
  async run(session, { service }: { service: string }, { limit }: { limit?: number }) {
    const params = { serviceId: await serviceId(session, service) }
    const found = await listAll(session, 'pipes.list', { params }, limit)
    session.output.result(found, (form) => pipesTable(form, found))
  },
}
