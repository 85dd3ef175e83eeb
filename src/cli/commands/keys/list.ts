import type { CommandDefinition } from '../../command.ts'
import { keysTable } from '../../show/key.ts'

export const keysList: CommandDefinition = {
  name: 'list',
  summary: 'List keys, oldest first',
  examples: ['granary keys list'],
  async run({ client, output, signal }) {
    const found = await client.call('keys.list', { signal })
    output.result(found, (form) => keysTable(form, found))
  },
}
