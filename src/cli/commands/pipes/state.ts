import type { BodyOf } from '../../../api/operations.ts'
import { pipeParams } from '../../lookup.ts'
import type { Session } from '../../session.ts'
import { pipeLine } from '../../show/pipe.ts'

/** Starts, stops or resyncs a pipe. */
export async function commandPipe(
  session: Session,
  operands: { service: string; pipe: string },
  command: BodyOf<'pipes.updateState'>['command'],
): Promise<void> {
  const { client, output, signal } = session
  const params = await pipeParams(session, operands)
  const changed = await client.call('pipes.updateState', { params, body: { command }, signal })
  output.result(changed, () => pipeLine(changed))
}
