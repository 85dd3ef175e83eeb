import type { CommandDefinition } from '../../command.ts'
import { serviceOperand } from '../services/operand.ts'
import { pipeOperand } from './operand.ts'
import { commandPipe } from './state.ts'

export const pipesStop: CommandDefinition = {
  name: 'stop',
  summary: 'Stop a pipe',
  details: 'It keeps its place and goes on from there when it is started.',
  operands: [serviceOperand, pipeOperand],
  examples: ['granary pipes stop analytics clicks'],
  run: (session, operands: { service: string; pipe: string }) => commandPipe(session, operands, 'stop'),
}
