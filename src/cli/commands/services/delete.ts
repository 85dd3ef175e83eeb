import type { CommandDefinition } from '../../command.ts'
import { confirm } from '../../confirm.ts'
import { serviceId } from '../../lookup.ts'
import { timeoutOption, type WaitOptions, waitOption, yesOption } from '../../options.ts'
import { serviceLine } from '../../show/service.ts'
import { watchService } from '../../wait.ts'
import { serviceOperand } from './operand.ts'

export const servicesDelete: CommandDefinition = {
  name: 'delete',
  summary: 'Delete a service',
  details: 'Only a stopped or failed one, and the primary of a warehouse only as its last.',
  operands: [serviceOperand],
  options: [yesOption, waitOption, timeoutOption],
  examples: [
    'granary services stop analytics --wait && granary services delete analytics',
    'granary services delete analytics --yes --wait',
  ],
  async run(session, { service }: { service: string }, options: WaitOptions & { yes?: true }) {
    const { client, output, signal } = session
    const params = { serviceId: await serviceId(session, service) }
    await confirm(session, `Delete service ${service} and what only it holds?`, options)
    const deleted = await client.call('services.delete', { params, signal })
    const { last, error } = options.wait
      ? await watchService(session, deleted, 'gone', options.timeout)
      : { last: deleted }
    output.result(last ?? deleted, () =>
      last === null ? `service ${deleted.name} (${deleted.id}) is gone` : serviceLine(last),
    )
    if (error) throw error
  },
}
