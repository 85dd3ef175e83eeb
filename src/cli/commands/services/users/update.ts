import type { UserRole } from '../../../../domain/service/user.ts'
import type { CommandDefinition } from '../../../command.ts'
import { userParams } from '../../../lookup.ts'
import { userBlock } from '../../../show/user.ts'
import { serviceOperand } from '../operand.ts'
import { userOperand } from './operand.ts'
import { roleOption } from './role.ts'

export const servicesUsersUpdate: CommandDefinition = {
  name: 'update',
  summary: 'Change the role of a user',
  operands: [serviceOperand, userOperand],
  options: [roleOption('').makeOptionMandatory()],
  examples: ['granary services users update analytics grafana --role readWrite'],
  async run(session, operands: { service: string; user: string }, { role }: { role: UserRole }) {
    const { client, output, signal } = session
    const params = await userParams(session, operands)
    const changed = await client.call('serviceUsers.update', { params, body: { role }, signal })
    output.result(changed, (form) => userBlock(form, changed))
  },
}
