import { Option } from 'commander'
import { type KeyKind, keyKinds } from '../../../domain/key/types.ts'
import type { CommandDefinition } from '../../command.ts'
import { defined } from '../../options.ts'
import { newKeyBlock } from '../../show/key.ts'
import { type KeyFlags, keyFields, keyOptions } from './fields.ts'

interface Flags extends KeyFlags {
  name: string
  kind?: KeyKind
  disabled?: true
}

export const keysCreate: CommandDefinition = {
  name: 'create',
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
  async run(session, _: object, flags: Flags) {
    const { client, output, signal } = session
    const { name, kind, disabled } = flags
    const state = disabled ? ('disabled' as const) : undefined
    const body = { name, ...defined({ kind, state }), ...(await keyFields(session, flags)) }
    const created = await client.call('keys.create', { body, signal })
    output.result(created, (form) => newKeyBlock(form, created))
  },
}
