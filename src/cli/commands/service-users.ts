import { Option } from 'commander'
import { type UserRole, userRoles } from '../../domain/service/user.ts'
import type { GroupDefinition } from '../command.ts'
import { commandOf } from '../operation-command.ts'
import { defined } from '../options.ts'
import {
  newPasswordBody,
  newPasswordText,
  ownPasswordHash,
  type PasswordFlags,
  passwordOptions,
} from '../password.ts'
import { deletedLine } from '../show/state.ts'
import { newUserBlock, userBlock, usersTable } from '../show/user.ts'

const roleOption = (more: string): Option =>
  new Option('--role <role>', `readOnly: queries; readWrite: also changes${more}`).choices(userRoles)

const list = commandOf('serviceUsers.list', {
  summary: 'List the users of a service, oldest first',
  details: 'Without the built-in user default, whose password is the service’s own.',
  examples: ['granary services users list analytics'],
  show: usersTable,
})

interface CreateFlags extends PasswordFlags {
  name: string
  role?: UserRole
}

const create = commandOf('serviceUsers.create', {
  summary: 'Create a user of a service',
  details:
    'Makes a password and shows it once, or takes one of your own; of that, only the hash leaves this machine.',
  options: [
    new Option('--name <name>', 'what to log in with').makeOptionMandatory(),
    roleOption(' (the default)'),
    ...passwordOptions,
  ],
  examples: [
    'granary services users create analytics --name grafana --role readOnly',
    'pass show etl | granary services users create analytics --name etl --stdin',
  ],
  async body(flags: CreateFlags, { io }) {
    const passwordHash = await ownPasswordHash(io, flags)
    return { name: flags.name, ...defined({ role: flags.role, passwordHash }) }
  },
  show: newUserBlock,
})

const get = commandOf('serviceUsers.get', {
  summary: 'Show a user',
  examples: ['granary services users get analytics grafana'],
  show: userBlock,
})

const update = commandOf('serviceUsers.update', {
  summary: 'Change the role of a user',
  options: [roleOption('').makeOptionMandatory()],
  examples: ['granary services users update analytics grafana --role readWrite'],
  body: ({ role }: { role: UserRole }) => ({ role }),
  show: userBlock,
})

const password = commandOf('serviceUsers.resetPassword', {
  name: 'password',
  summary: 'Give a user a new password',
  details:
    'Makes one and shows it once, or takes one of your own; of that, only the hash leaves this machine.',
  options: passwordOptions,
  examples: [
    'granary services users password analytics grafana',
    'pass show grafana | granary services users password analytics grafana --stdin',
  ],
  body: newPasswordBody,
  show: (form, result, { operands }) => newPasswordText(form, result, `user ${operands['user']}`),
})

const remove = commandOf('serviceUsers.delete', {
  summary: 'Delete a user',
  examples: [
    'granary services users delete analytics grafana',
    'granary services users delete analytics grafana --yes',
  ],
  question: ({ user, service }) =>
    `Delete user ${user} of service ${service}? Whoever uses it is locked out.`,
  show: (_, user) => deletedLine('user', user),
})

export const serviceUsers: GroupDefinition = {
  name: 'users',
  summary: 'Further users of the endpoint of a service',
  commands: [list, create, get, update, password, remove],
}
