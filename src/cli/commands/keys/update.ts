import { Option } from 'commander'
import type { CommandDefinition } from '../../command.ts'
import { usageError } from '../../failure.ts'
import { keyId } from '../../lookup.ts'
import { defined } from '../../options.ts'
import { keyBlock } from '../../show/key.ts'
import { type KeyFlags, keyFields, keyOptions } from './fields.ts'
import { keyOperand } from './operand.ts'

interface Flags extends KeyFlags {
  name?: string
  enable?: true
  disable?: true
}

export const keysUpdate: CommandDefinition = {
  name: 'update',
  summary: 'Change a key',
  details: 'A list that is given (roles, grants, addresses) replaces the one that the key has.',
  operands: [keyOperand],
  options: [
    new Option('--name <name>', 'what it is for'),
    new Option('--enable', 'let it work again'),
    new Option('--disable', 'refuse it like an unknown one').conflicts('enable'),
    ...keyOptions,
  ],
  examples: ['granary keys update ci --disable', 'granary keys update ci --role developer --expires never'],
  async run(session, { key }: { key: string }, flags: Flags) {
    const { client, output, signal } = session
    const { name, enable, disable } = flags
    const state = enable ? ('enabled' as const) : disable ? ('disabled' as const) : undefined
    const body = { ...defined({ name, state }), ...(await keyFields(session, flags)) }
    if (Object.keys(body).length === 0) throw usageError('say what to change: see --help')
    const params = { keyId: await keyId(session, key) }
    const changed = await client.call('keys.update', { params, body, signal })
    output.result(changed, (form) => keyBlock(form, changed))
  },
}
