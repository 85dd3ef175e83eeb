import type { CommandDefinition } from '../../command.ts'
import { organizationsTable } from '../../show/organization.ts'

export const organizationsList: CommandDefinition = {
  name: 'list',
  summary: 'List organizations: the one that the key belongs to',
  examples: ['granary organizations list'],
  async run({ client, output, signal }) {
    const found = await client.call('organizations.list', { signal })
    output.result(found, (form) => organizationsTable(form, found))
  },
}
