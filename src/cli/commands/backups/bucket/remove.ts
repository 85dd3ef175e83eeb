import type { CommandDefinition } from '../../../command.ts'
import { confirm } from '../../../confirm.ts'
import { serviceId } from '../../../lookup.ts'
import { yesOption } from '../../../options.ts'
import { serviceOperand } from '../../services/operand.ts'

export const backupsBucketRemove: CommandDefinition = {
  name: 'remove',
  summary: 'Send backups to the local folder of the server again',
  details: 'Backups that are in the bucket stay there, and can be restored.',
  operands: [serviceOperand],
  options: [yesOption],
  examples: ['granary backups bucket remove analytics --yes'],
  async run(session, { service }: { service: string }, options: { yes?: true }) {
    const { client, output, signal } = session
    const params = { serviceId: await serviceId(session, service) }
    await confirm(session, `Send further backups of ${service} to the local folder of the server?`, options)
    const removed = await client.call('backupBucket.delete', { params, signal })
    output.result(
      removed,
      () => `backups no longer go to ${removed.bucketPath}, but to the local folder of the server`,
    )
  },
}
