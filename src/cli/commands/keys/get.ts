import type { CommandDefinition } from '../../command.ts'
import { keyId } from '../../lookup.ts'
import { keyBlock } from '../../show/key.ts'
import { keyOperand } from './operand.ts'

export const keysGet: CommandDefinition = {
  name: 'get',
  summary: 'Show a key',
  operands: [keyOperand],
  examples: ['granary keys get ci'],
  async run(session, { key }: { key: string }) {
    const { client, output, signal } = session
    const found = await client.call('keys.get', { params: { keyId: await keyId(session, key) }, signal })
    output.result(found, (form) => keyBlock(form, found))
  },
}
