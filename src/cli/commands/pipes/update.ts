import { Option } from 'commander'
import type { BodyOf } from '../../../api/operations.ts'
import type { CommandDefinition } from '../../command.ts'
import { usageError } from '../../failure.ts'
import { readJsonObject } from '../../input.ts'
import { pipeParams } from '../../lookup.ts'
import { fileOption } from '../../options.ts'
import { pipeBlock } from '../../show/pipe.ts'
import { serviceOperand } from '../services/operand.ts'
import { pipeOperand } from './operand.ts'

export const pipesUpdate: CommandDefinition = {
  name: 'update',
  summary: 'Change a pipe',
  details: 'What the change does not mention keeps its value, credentials too.',
  operands: [serviceOperand, pipeOperand],
  options: [fileOption('the change, in JSON'), new Option('--name <name>', 'its new name')],
  examples: [
    'granary pipes update analytics clicks --name clicks-eu',
    'granary pipes update analytics clicks --file change.json',
  ],
  async run(
    session,
    operands: { service: string; pipe: string },
    { file, name }: { file?: string; name?: string },
  ) {
    const { client, output, io, signal } = session
    if (file === undefined && name === undefined) throw usageError('say what to change: --file or --name')
    const change = file === undefined ? {} : await readJsonObject(io, file)
    const body = { ...change, ...(name === undefined ? {} : { name }) } as BodyOf<'pipes.update'>
    const params = await pipeParams(session, operands)
    const changed = await client.call('pipes.update', { params, body, signal })
    output.result(changed, (form) => pipeBlock(form, changed))
  },
}
