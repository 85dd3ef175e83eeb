import type { CommandDefinition } from '../../command.ts'
import { confirm } from '../../confirm.ts'
import { keyId } from '../../lookup.ts'
import { yesOption } from '../../options.ts'
import { keyOperand } from './operand.ts'

export const keysDelete: CommandDefinition = {
  name: 'delete',
  summary: 'Delete a key',
  details: 'A key cannot delete itself, and the last admin key stays.',
  operands: [keyOperand],
  options: [yesOption],
  examples: ['granary keys delete ci', 'granary keys delete ci --yes'],
  async run(session, { key }: { key: string }, options: { yes?: true }) {
    const { client, output, signal } = session
    const params = { keyId: await keyId(session, key) }
    await confirm(session, `Delete key ${key}? Whoever uses it is locked out.`, options)
    const deleted = await client.call('keys.delete', { params, signal })
    output.result(deleted, () => `key ${deleted.name} (${deleted.id}) is deleted`)
  },
}
