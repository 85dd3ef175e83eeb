import type { CommandDefinition } from '../../command.ts'
import { serviceOperand } from '../services/operand.ts'
import { pipeOperand } from './operand.ts'
import { commandPipe } from './state.ts'

export const pipesStart: CommandDefinition = {
  name: 'start',
  summary: 'Start a pipe',
  details: 'A pipe that runs already stays as it is; a failed one tries again.',
  operands: [serviceOperand, pipeOperand],
  examples: ['granary pipes start analytics clicks'],
  run: (session, operands: { service: string; pipe: string }) => commandPipe(session, operands, 'start'),
}
