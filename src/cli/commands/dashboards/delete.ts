import type { CommandDefinition } from '../../command.ts'
import { confirm } from '../../confirm.ts'
import { dashboardId } from '../../lookup.ts'
import { yesOption } from '../../options.ts'
import { dashboardOperand } from './operand.ts'

export const dashboardsDelete: CommandDefinition = {
  name: 'delete',
  summary: 'Delete a dashboard',
  operands: [dashboardOperand],
  options: [yesOption],
  examples: ['granary dashboards delete Traffic', 'granary dashboards delete Traffic --yes'],
  async run(session, { dashboard }: { dashboard: string }, options: { yes?: true }) {
    const { client, output, signal } = session
    const params = { dashboardId: await dashboardId(session, dashboard) }
    await confirm(session, `Delete dashboard ${dashboard}?`, options)
    const result = await client.call('dashboards.delete', { params, signal })
    output.result(result, () => `dashboard ${dashboard} is deleted`)
  },
}
