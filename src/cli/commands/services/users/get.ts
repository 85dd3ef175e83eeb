import type { CommandDefinition } from '../../../command.ts'
import { userParams } from '../../../lookup.ts'
import { userBlock } from '../../../show/user.ts'
import { serviceOperand } from '../operand.ts'
import { userOperand } from './operand.ts'

export const servicesUsersGet: CommandDefinition = {
  name: 'get',
  summary: 'Show a user',
  operands: [serviceOperand, userOperand],
  examples: ['granary services users get analytics grafana'],
  async run(session, operands: { service: string; user: string }) {
    const { client, output, signal } = session
    const params = await userParams(session, operands)
    const found = await client.call('serviceUsers.get', { params, signal })
    output.result(found, (form) => userBlock(form, found))
  },
}
