import type { CommandDefinition } from '../../../command.ts'
import { userParams } from '../../../lookup.ts'
import { onlyOnce } from '../../../show/state.ts'
import { ownPasswordHash, type PasswordFlags, passwordOptions } from '../new-password.ts'
import { serviceOperand } from '../operand.ts'
import { userOperand } from './operand.ts'

export const servicesUsersPassword: CommandDefinition = {
  name: 'password',
  summary: 'Give a user a new password',
  details:
    'Makes one and shows it once, or takes one of your own; of that, only the hash leaves this machine.',
  operands: [serviceOperand, userOperand],
  options: passwordOptions,
  examples: [
    'granary services users password analytics grafana',
    'pass show grafana | granary services users password analytics grafana --stdin',
  ],
  async run(session, operands: { service: string; user: string }, flags: PasswordFlags) {
    const { client, output, io, signal } = session
    const newPasswordHash = await ownPasswordHash(io, flags)
    const params = await userParams(session, operands)
    const body = newPasswordHash === undefined ? {} : { newPasswordHash }
    const result = await client.call('serviceUsers.resetPassword', { params, body, signal })
    output.result(result, (form) =>
      result.password === ''
        ? `user ${operands.user} has the new password`
        : `${form.block([['password', result.password]])}\n\n${onlyOnce}`,
    )
  },
}
