import type { CommandDefinition } from '../../command.ts'
import { serviceId } from '../../lookup.ts'
import { serviceBlock } from '../../show/service.ts'
import { serviceOperand } from './operand.ts'

export const servicesGet: CommandDefinition = {
  name: 'get',
  summary: 'Show a service',
  operands: [serviceOperand],
  examples: ['granary services get analytics', 'granary services get analytics --json | jq .state'],
  async run(session, { service }: { service: string }) {
    const { client, output, signal } = session
    const params = { serviceId: await serviceId(session, service) }
    const found = await client.call('services.get', { params, signal })
    output.result(found, (form) => serviceBlock(form, found))
  },
}
