import type { CommandDefinition } from '../../command.ts'
import { timeoutOption, type WaitOptions, waitOption } from '../../options.ts'
import { serviceOperand } from './operand.ts'
import { commandService } from './state.ts'

export const servicesStop: CommandDefinition = {
  name: 'stop',
  summary: 'Stop a service',
  details: 'Its data stays; a stopped service is not woken by queries.',
  operands: [serviceOperand],
  options: [waitOption, timeoutOption],
  examples: ['granary services stop analytics', 'granary services stop analytics --wait --timeout 2m'],
  run: (session, { service }: { service: string }, options: WaitOptions) =>
    commandService(session, service, 'stop', options),
}
