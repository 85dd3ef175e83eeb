import type { ServiceCommand } from '../../../domain/service/transitions.ts'
import { serviceId } from '../../lookup.ts'
import type { WaitOptions } from '../../options.ts'
import type { Session } from '../../session.ts'
import { serviceLine } from '../../show/service.ts'
import { watchService } from '../../wait.ts'

/** Starts or stops a service, and waits for it where that is asked for. */
export async function commandService(
  session: Session,
  service: string,
  command: ServiceCommand,
  { wait, timeout }: WaitOptions,
): Promise<void> {
  const { client, output, signal } = session
  const params = { serviceId: await serviceId(session, service) }
  const changed = await client.call('services.updateState', { params, body: { command }, signal })
  const aim = command === 'start' ? 'running' : 'stopped'
  const { last, error } = wait ? await watchService(session, changed, aim, timeout) : { last: changed }
  const result = last ?? changed
  output.result(result, () => serviceLine(result))
  if (error) throw error
}
