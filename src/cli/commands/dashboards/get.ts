import type { CommandDefinition } from '../../command.ts'
import { dashboardId } from '../../lookup.ts'
import { dashboardBlock } from '../../show/dashboard.ts'
import { dashboardOperand } from './operand.ts'

export const dashboardsGet: CommandDefinition = {
  name: 'get',
  summary: 'Show a dashboard',
  operands: [dashboardOperand],
  examples: ['granary dashboards get Traffic', 'granary dashboards get Traffic --json > traffic.json'],
  async run(session, { dashboard }: { dashboard: string }) {
    const { client, output, signal } = session
    const params = { dashboardId: await dashboardId(session, dashboard) }
    const found = await client.call('dashboards.get', { params, signal })
    output.result(found, (form) => dashboardBlock(form, found))
  },
}
