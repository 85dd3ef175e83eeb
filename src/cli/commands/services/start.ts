import type { CommandDefinition } from '../../command.ts'
import { timeoutOption, type WaitOptions, waitOption } from '../../options.ts'
import { serviceOperand } from './operand.ts'
import { commandService } from './state.ts'

export const servicesStart: CommandDefinition = {
  name: 'start',
  summary: 'Start a service',
  details: 'A service that runs already, or is idle, stays as it is.',
  operands: [serviceOperand],
  options: [waitOption, timeoutOption],
  examples: ['granary services start analytics', 'granary services start analytics --wait --timeout 2m'],
  run: (session, { service }: { service: string }, options: WaitOptions) =>
    commandService(session, service, 'start', options),
}
