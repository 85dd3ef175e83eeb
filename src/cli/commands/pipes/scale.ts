import type { CommandDefinition } from '../../command.ts'
import { usageError } from '../../failure.ts'
import { pipeParams } from '../../lookup.ts'
import { defined, numberOption } from '../../options.ts'
import { pipeBlock } from '../../show/pipe.ts'
import { serviceOperand } from '../services/operand.ts'
import { pipeOperand } from './operand.ts'

interface Flags {
  replicas?: number
  cpu?: number
  memory?: number
  concurrency?: number
}

export const pipesScale: CommandDefinition = {
  name: 'scale',
  summary: 'Change the workers of a pipe',
  details: 'What is not given keeps its value.',
  operands: [serviceOperand, pipeOperand],
  options: [
    numberOption('--replicas <n>', 'number of workers'),
    numberOption('--cpu <millicores>', 'thousandths of a core per worker'),
    numberOption('--memory <gb>', 'memory per worker, fractions allowed'),
    numberOption('--concurrency <n>', 'deprecated: use the setting object_storage_concurrency'),
  ],
  examples: ['granary pipes scale analytics clicks --replicas 2 --cpu 500 --memory 2'],
  async run(session, operands: { service: string; pipe: string }, flags: Flags) {
    const { client, output, signal } = session
    const { replicas, cpu: replicaCpuMillicores, memory: replicaMemoryGb, concurrency } = flags
    const body = defined({ replicas, replicaCpuMillicores, replicaMemoryGb, concurrency })
    if (Object.keys(body).length === 0) throw usageError('say what to change: see --help')
    const params = await pipeParams(session, operands)
    const changed = await client.call('pipes.updateScaling', { params, body, signal })
    output.result(changed, (form) => pipeBlock(form, changed))
  },
}
