import type { CommandDefinition } from '../../command.ts'
import { pipeParams } from '../../lookup.ts'
import { pipeBlock } from '../../show/pipe.ts'
import { serviceOperand } from '../services/operand.ts'
import { pipeOperand } from './operand.ts'

export const pipesGet: CommandDefinition = {
  name: 'get',
  summary: 'Show a pipe',
  operands: [serviceOperand, pipeOperand],
  examples: ['granary pipes get analytics clicks', 'granary pipes get analytics clicks --json | jq .state'],
  async run(session, operands: { service: string; pipe: string }) {
    const { client, output, signal } = session
    const found = await client.call('pipes.get', { params: await pipeParams(session, operands), signal })
    output.result(found, (form) => pipeBlock(form, found))
  },
}
