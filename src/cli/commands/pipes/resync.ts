import type { CommandDefinition } from '../../command.ts'
import { serviceOperand } from '../services/operand.ts'
import { pipeOperand } from './operand.ts'
import { commandPipe } from './state.ts'

export const pipesResync: CommandDefinition = {
  name: 'resync',
  summary: 'Load the tables of a Postgres pipe anew',
  details: 'The tables are filled beside the old ones and then swapped. Other kinds refuse it.',
  operands: [serviceOperand, pipeOperand],
  examples: ['granary pipes resync analytics clicks'],
  run: (session, operands: { service: string; pipe: string }) => commandPipe(session, operands, 'resync'),
}
