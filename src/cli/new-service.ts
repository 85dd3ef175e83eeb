import type { BodyOf } from '../api/operations.ts'
import type { Session } from './session.ts'
import { newServiceBlock } from './show/service.ts'
import { watchService } from './wait.ts'

/** Creates a service, waits for it where that is wanted, and shows it with its password, also when it fails. */
export async function createService(
  session: Session,
  body: BodyOf<'services.create'>,
  { wait, timeout }: { wait?: boolean; timeout: number },
): Promise<void> {
  const { client, output, signal } = session
  const created = await client.call('services.create', { body, signal })
  const { last, error } = wait
    ? await watchService(session, created.service, 'running', timeout)
    : { last: created.service, error: undefined }
  const result = { ...created, service: last ?? created.service }
  output.result(result, (form) => newServiceBlock(form, result))
  if (error) throw error
}
