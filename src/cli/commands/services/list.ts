import type { CommandDefinition } from '../../command.ts'
import { limitOption } from '../../options.ts'
import { listAll } from '../../paging.ts'
import { servicesTable } from '../../show/service.ts'

export const servicesList: CommandDefinition = {
  name: 'list',
  summary: 'List services, oldest first',
  options: [limitOption],
  examples: ['granary services list', "granary services list --json | jq -r '.[].name'"],
  async run(session, _: object, { limit }: { limit?: number }) {
    const found = await listAll(session, 'services.list', {}, limit)
    session.output.result(found, (form) => servicesTable(form, found))
  },
}
