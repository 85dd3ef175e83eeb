import type { CommandDefinition } from '../../command.ts'
import { quotasTable } from '../../show/organization.ts'

export const quotasList: CommandDefinition = {
  name: 'list',
  summary: 'List quotas with their use',
  examples: ['granary quotas list'],
  async run({ client, output, signal }) {
    const found = await client.call('quotas.list', { signal })
    output.result(found, (form) => quotasTable(form, found))
  },
}
