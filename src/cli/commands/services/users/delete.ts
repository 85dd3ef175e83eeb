import type { CommandDefinition } from '../../../command.ts'
import { confirm } from '../../../confirm.ts'
import { userParams } from '../../../lookup.ts'
import { yesOption } from '../../../options.ts'
import { serviceOperand } from '../operand.ts'
import { userOperand } from './operand.ts'

export const servicesUsersDelete: CommandDefinition = {
  name: 'delete',
  summary: 'Delete a user',
  operands: [serviceOperand, userOperand],
  options: [yesOption],
  examples: [
    'granary services users delete analytics grafana',
    'granary services users delete analytics grafana --yes',
  ],
  async run(session, operands: { service: string; user: string }, options: { yes?: true }) {
    const { client, output, signal } = session
    const params = await userParams(session, operands)
    const question = `Delete user ${operands.user} of service ${operands.service}? Whoever uses it is locked out.`
    await confirm(session, question, options)
    const deleted = await client.call('serviceUsers.delete', { params, signal })
    output.result(deleted, () => `user ${deleted.name} (${deleted.id}) is deleted`)
  },
}
