import { Option } from 'commander'
import type { CommandDefinition } from '../../command.ts'
import { serviceId } from '../../lookup.ts'
import { resourcesTable } from '../../show/resources.ts'
import { serviceOperand } from './operand.ts'

const watchOption = new Option('--watch', 'look again every two seconds, until interrupted')
const pauseMs = 2_000

export const servicesTop: CommandDefinition = {
  name: 'top',
  summary: 'What the replicas of a service use',
  details: 'Looking wakes nothing and keeps nothing awake. With --json and --watch, one object a line.',
  operands: [serviceOperand],
  options: [watchOption],
  examples: ['granary services top analytics', 'granary services top analytics --watch'],
  async run(session, { service }: { service: string }, { watch }: { watch?: true }) {
    const { client, output, signal, io } = session
    const params = { serviceId: await serviceId(session, service) }
    do {
      const found = await client.call('services.get', { params, signal })
      output.result(found.resources, (form) => resourcesTable(form, found))
      if (watch) await io.clock.sleep(pauseMs, signal)
    } while (watch && !signal.aborted)
  },
}
