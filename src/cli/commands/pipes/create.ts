import type { BodyOf } from '../../../api/operations.ts'
import type { CommandDefinition } from '../../command.ts'
import { requireBody } from '../../input.ts'
import { serviceId } from '../../lookup.ts'
import { fileOption } from '../../options.ts'
import { pipeBlock } from '../../show/pipe.ts'
import { serviceOperand } from '../services/operand.ts'

export const pipesCreate: CommandDefinition = {
  name: 'create',
  summary: 'Create a pipe from its description in JSON',
  details:
    'The description has name, source, destination, fieldMappings, scaling and settings, as the API takes it.',
  operands: [serviceOperand],
  options: [fileOption('the description of the pipe')],
  examples: [
    'granary pipes create analytics --file clicks.json',
    'envsubst < clicks.json | granary pipes create analytics --file -',
  ],
  async run(session, { service }: { service: string }, options: { file?: string }) {
    const { client, output, io, signal } = session
    // The API checks the body, field by field.
    const body = (await requireBody(io, options)) as BodyOf<'pipes.create'>
    const params = { serviceId: await serviceId(session, service) }
    const created = await client.call('pipes.create', { params, body, signal })
    output.result(created, (form) => pipeBlock(form, created))
  },
}
