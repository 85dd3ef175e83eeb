import type { CommandDefinition } from '../../command.ts'
import { confirm } from '../../confirm.ts'
import { pipeParams } from '../../lookup.ts'
import { yesOption } from '../../options.ts'
import { serviceOperand } from '../services/operand.ts'
import { pipeOperand } from './operand.ts'

export const pipesDelete: CommandDefinition = {
  name: 'delete',
  summary: 'Delete a pipe',
  details: 'Its destination table stays.',
  operands: [serviceOperand, pipeOperand],
  options: [yesOption],
  examples: ['granary pipes delete analytics clicks', 'granary pipes delete analytics clicks --yes'],
  async run(session, operands: { service: string; pipe: string }, options: { yes?: true }) {
    const { client, output, signal } = session
    const params = await pipeParams(session, operands)
    await confirm(session, `Delete pipe ${operands.pipe}? Its table stays.`, options)
    const deleted = await client.call('pipes.delete', { params, signal })
    output.result(deleted, () => `pipe ${deleted.name} (${deleted.id}) is deleted`)
  },
}
