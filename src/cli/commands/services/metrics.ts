import { Option } from 'commander'
import type { CommandDefinition } from '../../command.ts'
import { serviceId } from '../../lookup.ts'
import { serviceOperand } from './operand.ts'

export const importantOption = new Option('--important', 'only the most important ones')

export const servicesMetrics: CommandDefinition = {
  name: 'metrics',
  summary: 'Metrics of a service, in the Prometheus text format',
  details: 'With --json the text is one JSON string.',
  operands: [serviceOperand],
  options: [importantOption],
  examples: ['granary services metrics analytics', 'granary services metrics analytics --important'],
  async run(session, { service }: { service: string }, { important }: { important?: true }) {
    const { client, output, signal } = session
    const params = { serviceId: await serviceId(session, service) }
    const query = important ? { filtered_metrics: true } : {}
    const text = await client.call('services.metrics', { params, query, signal })
    output.result(text, () => text)
  },
}
