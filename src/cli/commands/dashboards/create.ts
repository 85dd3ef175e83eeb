import type { BodyOf } from '../../../api/operations.ts'
import type { CommandDefinition } from '../../command.ts'
import { requireBody } from '../../input.ts'
import { fileOption } from '../../options.ts'
import { dashboardBlock } from '../../show/dashboard.ts'

export const dashboardsCreate: CommandDefinition = {
  name: 'create',
  summary: 'Create a dashboard from its description in JSON',
  details: 'The description has name, tiles and tags, as the API takes it.',
  options: [fileOption('the description of the dashboard')],
  examples: [
    'granary dashboards create --file traffic.json',
    'echo \'{"name":"Traffic"}\' | granary dashboards create --file -',
  ],
  async run({ client, output, io, signal }, _: object, options: { file?: string }) {
    // The API checks the body, field by field.
    const body = (await requireBody(io, options)) as BodyOf<'dashboards.create'>
    const created = await client.call('dashboards.create', { body, signal })
    output.result(created, (form) => dashboardBlock(form, created))
  },
}
