import type { CommandDefinition } from '../command.ts'
import { refusedError } from '../failure.ts'
import { type Operands, operandsOf, paramsOf } from '../operands.ts'
import { watchLine } from '../show/pipe-stats.ts'

const pauseMs = 1_000

export const pipeWatch: CommandDefinition = {
  name: 'watch',
  summary: 'Show what a pipe does, as it does it',
  details:
    'Rate, lag and state, until interrupted, or until the pipe has loaded all or has failed. On a terminal in one line that is replaced, elsewhere in a line for each change; with --json one object a line.',
  operands: operandsOf('pipes.get'),
  examples: [
    'granary pipes watch analytics clicks',
    'granary pipes watch analytics clicks --json | jq .stats.rows',
  ],
  async run(session, operands: Operands) {
    const { client, output, signal, io } = session
    const params = await paramsOf(session, 'pipes.get', operands)
    for (let seen = ''; !signal.aborted; ) {
      const pipe = await client.call('pipes.get', { params, signal })
      const line = watchLine(pipe)
      const isLast = pipe.state === 'Completed' || pipe.state === 'Failed'
      if (line !== seen && (isLast || output.isJson || !io.stdout.isTTY || !output.live(line)))
        output.piece(pipe, () => line)
      seen = line
      if (pipe.state === 'Failed')
        throw refusedError('NOT_REACHED', `pipe ${pipe.name} has failed: ${pipe.reason}`)
      if (isLast) return
      await io.clock.sleep(pauseMs, signal)
    }
    signal.throwIfAborted()
  },
}
