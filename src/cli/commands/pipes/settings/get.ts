import type { CommandDefinition } from '../../../command.ts'
import { pipeParams } from '../../../lookup.ts'
import { settingsBlock } from '../../../show/pipe.ts'
import { serviceOperand } from '../../services/operand.ts'
import { pipeOperand } from '../operand.ts'

export const pipesSettingsGet: CommandDefinition = {
  name: 'get',
  summary: 'Show the settings of a pipe',
  operands: [serviceOperand, pipeOperand],
  examples: ['granary pipes settings get analytics clicks'],
  async run(session, operands: { service: string; pipe: string }) {
    const { client, output, signal } = session
    const params = await pipeParams(session, operands)
    const settings = await client.call('pipes.getSettings', { params, signal })
    output.result(settings, (form) => settingsBlock(form, settings))
  },
}
