import type { CommandDefinition } from '../../../command.ts'
import { serviceId } from '../../../lookup.ts'
import { usersTable } from '../../../show/user.ts'
import { serviceOperand } from '../operand.ts'

export const servicesUsersList: CommandDefinition = {
  name: 'list',
  summary: 'List the users of a service, oldest first',
  details: 'Without the built-in user default, whose password is the service’s own.',
  operands: [serviceOperand],
  examples: ['granary services users list analytics'],
  async run(session, { service }: { service: string }) {
    const { client, output, signal } = session
    const params = { serviceId: await serviceId(session, service) }
    const found = await client.call('serviceUsers.list', { params, signal })
    output.result(found, (form) => usersTable(form, found))
  },
}
