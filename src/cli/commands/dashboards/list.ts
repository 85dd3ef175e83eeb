import type { CommandDefinition } from '../../command.ts'
import { dashboardsTable } from '../../show/dashboard.ts'

export const dashboardsList: CommandDefinition = {
  name: 'list',
  summary: 'List dashboards by name',
  examples: ['granary dashboards list'],
  async run({ client, output, signal }) {
    const found = await client.call('dashboards.list', { signal })
    output.result(found, (form) => dashboardsTable(form, found))
  },
}
