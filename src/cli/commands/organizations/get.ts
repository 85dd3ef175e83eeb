import type { CommandDefinition } from '../../command.ts'
import { organizationBlock } from '../../show/organization.ts'

export const organizationsGet: CommandDefinition = {
  name: 'get',
  summary: 'Show the organization',
  examples: ['granary organizations get', 'granary organizations get --json'],
  async run({ client, output, signal }) {
    const found = await client.call('organizations.get', { signal })
    output.result(found, (form) => organizationBlock(form, found))
  },
}
