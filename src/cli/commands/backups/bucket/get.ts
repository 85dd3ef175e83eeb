import type { CommandDefinition } from '../../../command.ts'
import { serviceId } from '../../../lookup.ts'
import { bucketBlock } from '../../../show/backup.ts'
import { serviceOperand } from '../../services/operand.ts'

export const backupsBucketGet: CommandDefinition = {
  name: 'get',
  summary: 'Show the bucket that backups go to',
  operands: [serviceOperand],
  examples: ['granary backups bucket get analytics'],
  async run(session, { service }: { service: string }) {
    const { client, output, signal } = session
    const params = { serviceId: await serviceId(session, service) }
    const found = await client.call('backupBucket.get', { params, signal })
    output.result(found, (form) => bucketBlock(form, found))
  },
}
