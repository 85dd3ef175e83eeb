import { Option } from 'commander'
import type { UserRole } from '../../../../domain/service/user.ts'
import type { CommandDefinition } from '../../../command.ts'
import { serviceId } from '../../../lookup.ts'
import { defined } from '../../../options.ts'
import { newUserBlock } from '../../../show/user.ts'
import { ownPasswordHash, type PasswordFlags, passwordOptions } from '../new-password.ts'
import { serviceOperand } from '../operand.ts'
import { roleOption } from './role.ts'

interface Flags extends PasswordFlags {
  name: string
  role?: UserRole
}

export const servicesUsersCreate: CommandDefinition = {
  name: 'create',
  summary: 'Create a user of a service',
  details:
    'Makes a password and shows it once, or takes one of your own; of that, only the hash leaves this machine.',
  operands: [serviceOperand],
  options: [
    new Option('--name <name>', 'what to log in with').makeOptionMandatory(),
    roleOption(' (the default)'),
    ...passwordOptions,
  ],
  examples: [
    'granary services users create analytics --name grafana --role readOnly',
    'pass show etl | granary services users create analytics --name etl --stdin',
  ],
  async run(session, { service }: { service: string }, flags: Flags) {
    const { client, output, io, signal } = session
    const passwordHash = await ownPasswordHash(io, flags)
    const params = { serviceId: await serviceId(session, service) }
    const body = { name: flags.name, ...defined({ role: flags.role, passwordHash }) }
    const created = await client.call('serviceUsers.create', { params, body, signal })
    output.result(created, (form) => newUserBlock(form, created))
  },
}
