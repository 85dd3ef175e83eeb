import type { CommandDefinition } from '../../command.ts'
import { importantOption } from '../services/metrics.ts'

export const organizationsMetrics: CommandDefinition = {
  name: 'metrics',
  summary: 'Metrics of all services, in the Prometheus text format',
  options: [importantOption],
  examples: ['granary organizations metrics', 'granary organizations metrics --important'],
  async run({ client, output, signal }, _: object, { important }: { important?: true }) {
    const query = important ? { filtered_metrics: true } : {}
    const text = await client.call('organizations.metrics', { query, signal })
    output.result(text, () => text)
  },
}
