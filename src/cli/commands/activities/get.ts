import type { CommandDefinition } from '../../command.ts'
import { activityBlock } from '../../show/organization.ts'

export const activitiesGet: CommandDefinition = {
  name: 'get',
  summary: 'Show one change: who, from where, before and after',
  operands: [['<activity>', 'id of the entry']],
  examples: ['granary activities get <activity id>'],
  async run({ client, output, signal }, { activity }: { activity: string }) {
    const found = await client.call('activities.get', { params: { activityId: activity }, signal })
    output.result(found, (form) => activityBlock(form, found))
  },
}
