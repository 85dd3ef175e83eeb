import { Option } from 'commander'
import { type KeyKind, keyKinds } from '../../domain/key/types.ts'
import type { GroupDefinition } from '../command.ts'
import { type KeyFlags, keyFields, keyOptions } from '../key-fields.ts'
import { commandOf } from '../operation-command.ts'
import { defined, someChange } from '../options.ts'
import { keyBlock, keysTable, newKeyBlock } from '../show/key.ts'
import { deletedLine } from '../show/state.ts'

const list = commandOf('keys.list', {
  summary: 'List keys, oldest first',
  examples: ['granary keys list'],
  show: keysTable,
})

interface CreateFlags extends KeyFlags {
  name: string
  kind?: KeyKind
  disabled?: true
}

const create = commandOf('keys.create', {
  summary: 'Create a key',
  details: 'The secret is shown once: only its hash is kept. Without a role or grant the key may do nothing.',
  options: [
    new Option('--name <name>', 'what it is for').makeOptionMandatory(),
    new Option('--kind <kind>', 'management: for services and pipes; dashboard: a token').choices(keyKinds),
    ...keyOptions,
    new Option('--disabled', 'create it disabled'),
  ],
  examples: [
    'granary keys create --name ci --role admin --expires 90d --ip 10.0.0.0/8',
    'granary keys create --name reader --grant analytics=developer',
    'granary keys create --name wallboard --kind dashboard --role developer',
  ],
  async body(flags: CreateFlags, session) {
    const { name, kind, disabled } = flags
    const state = disabled ? ('disabled' as const) : undefined
    return { name, ...defined({ kind, state }), ...(await keyFields(session, flags)) }
  },
  show: newKeyBlock,
})

const get = commandOf('keys.get', {
  summary: 'Show a key',
  examples: ['granary keys get ci'],
  show: keyBlock,
})

interface UpdateFlags extends KeyFlags {
  name?: string
  enable?: true
  disable?: true
}

const update = commandOf('keys.update', {
  summary: 'Change a key',
  details: 'A list that is given (roles, grants, addresses) replaces the one that the key has.',
  options: [
    new Option('--name <name>', 'what it is for'),
    new Option('--enable', 'let it work again'),
    new Option('--disable', 'refuse it like an unknown one').conflicts('enable'),
    ...keyOptions,
  ],
  examples: ['granary keys update ci --disable', 'granary keys update ci --role developer --expires never'],
  async body(flags: UpdateFlags, session) {
    const { name, enable, disable } = flags
    const state = enable ? ('enabled' as const) : disable ? ('disabled' as const) : undefined
    return someChange({ ...defined({ name, state }), ...(await keyFields(session, flags)) })
  },
  show: keyBlock,
})

const remove = commandOf('keys.delete', {
  summary: 'Delete a key',
  details: 'A key cannot delete itself, and the last admin key stays.',
  examples: ['granary keys delete ci', 'granary keys delete ci --yes'],
  question: ({ key }) => `Delete key ${key}? Whoever uses it is locked out.`,
  show: (_, key) => deletedLine('key', key),
})

export const keys: GroupDefinition = {
  name: 'keys',
  summary: 'Keys and tokens',
  commands: [list, create, get, update, remove],
}
