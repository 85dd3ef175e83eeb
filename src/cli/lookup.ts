import type { ResultOf } from '../api/operations.ts'
import { isUuid } from '../lib/ids.ts'
import { refusedError } from './failure.ts'
import { listAll } from './paging.ts'
import type { Session } from './session.ts'
import { nearest } from './text.ts'

export type Service = ResultOf<'services.get'>
export type Pipe = ResultOf<'pipes.get'>

/** The id of a service that is named by its id or by its name, if only one has it. */
export async function serviceId(session: Session, given: string): Promise<string> {
  if (isUuid(given)) return given
  return pick('service', given, await listAll(session, 'services.list', {})).id
}

export async function pipeId(session: Session, service: string, given: string): Promise<string> {
  if (isUuid(given)) return given
  const params = { serviceId: service }
  return pick('pipe', given, await listAll(session, 'pipes.list', { params })).id
}

/** Both ids of a pipe. */
export async function pipeParams(
  session: Session,
  operands: { service: string; pipe: string },
): Promise<{ serviceId: string; pipeId: string }> {
  const service = await serviceId(session, operands.service)
  return { serviceId: service, pipeId: await pipeId(session, service, operands.pipe) }
}

/** Both ids of a user of a service. */
export async function userParams(
  session: Session,
  operands: { service: string; user: string },
): Promise<{ serviceId: string; userId: string }> {
  const { client, signal } = session
  const params = { serviceId: await serviceId(session, operands.service) }
  if (isUuid(operands.user)) return { ...params, userId: operands.user }
  const users = await client.call('serviceUsers.list', { params, signal })
  return { ...params, userId: pick('user', operands.user, users).id }
}

export async function keyId({ client, signal }: Session, given: string): Promise<string> {
  return isUuid(given) ? given : pick('key', given, await client.call('keys.list', { signal })).id
}

export async function dashboardId({ client, signal }: Session, given: string): Promise<string> {
  if (/^[0-9a-f]{24}$/.test(given)) return given
  return pick('dashboard', given, await client.call('dashboards.list', { signal })).id
}

function pick<T extends { id: string; name: string }>(noun: string, given: string, all: readonly T[]): T {
  const found = all.filter(({ name }) => name === given)
  const [first, ...others] = found
  if (!first) {
    const close = nearest(given, [...new Set(all.map(({ name }) => name))])
    const hints = close === undefined ? [] : [`did you mean ${close}?`]
    throw refusedError('NOT_FOUND', `no ${noun} has the name or id ${given}`, hints)
  }
  if (others.length > 0) {
    const ids = found.map(({ id }) => id)
    throw refusedError('AMBIGUOUS', `${found.length} ${noun}s are named ${given}: use the id`, ids)
  }
  return first
}
