import type { CommandDefinition } from '../../command.ts'
import { serviceId } from '../../lookup.ts'
import { onlyOnce } from '../../show/state.ts'
import { ownPasswordHash, type PasswordFlags, passwordOptions } from './new-password.ts'
import { serviceOperand } from './operand.ts'

export const servicesPassword: CommandDefinition = {
  name: 'password',
  summary: 'Give a service a new password',
  details:
    'Makes one and shows it once, or takes one of your own; of that, only the hash leaves this machine.',
  operands: [serviceOperand],
  options: passwordOptions,
  examples: [
    'granary services password analytics',
    'pass show analytics | granary services password analytics --stdin',
  ],
  async run(session, { service }: { service: string }, flags: PasswordFlags) {
    const { client, output, io, signal } = session
    const newPasswordHash = await ownPasswordHash(io, flags)
    const params = { serviceId: await serviceId(session, service) }
    const body = newPasswordHash === undefined ? {} : { newPasswordHash }
    const result = await client.call('services.resetPassword', { params, body, signal })
    output.result(result, (form) =>
      result.password === ''
        ? `service ${service} has the new password`
        : `${form.block([['password', result.password]])}\n\n${onlyOnce}`,
    )
  },
}
