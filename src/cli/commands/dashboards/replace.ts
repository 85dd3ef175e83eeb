import type { BodyOf } from '../../../api/operations.ts'
import type { CommandDefinition } from '../../command.ts'
import { requireBody } from '../../input.ts'
import { dashboardId } from '../../lookup.ts'
import { fileOption } from '../../options.ts'
import { dashboardBlock } from '../../show/dashboard.ts'
import { dashboardOperand } from './operand.ts'

export const dashboardsReplace: CommandDefinition = {
  name: 'replace',
  summary: 'Replace a dashboard as a whole',
  details: 'What "dashboards get --json" prints can be sent back. Tiles that are left out are removed.',
  operands: [dashboardOperand],
  options: [fileOption('the whole dashboard, in JSON')],
  examples: ['granary dashboards replace Traffic --file traffic.json'],
  async run(session, { dashboard }: { dashboard: string }, options: { file?: string }) {
    const { client, output, io, signal } = session
    const body = (await requireBody(io, options)) as BodyOf<'dashboards.replace'>
    const params = { dashboardId: await dashboardId(session, dashboard) }
    const replaced = await client.call('dashboards.replace', { params, body, signal })
    output.result(replaced, (form) => dashboardBlock(form, replaced))
  },
}
