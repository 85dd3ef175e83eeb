import type { OperationId, ParamsOf } from '../api/operations.ts'
import { routes } from '../api/routes.ts'
import { isUuid } from '../lib/ids.ts'
import type { CommandDefinition } from './command.ts'
import { refusedError } from './failure.ts'
import { listAll } from './paging.ts'
import type { Session } from './session.ts'
import { nearest } from './text.ts'

/** The text given for each operand, by the operand's name. */
export type Operands = Readonly<Record<string, string>>

/** How a user names the resource of a path parameter. */
interface Operand {
  name: string
  description: string
  /** The value of the parameter; `params` holds the parameters before it in the path. */
  find(session: Session, given: string, params: Record<string, string>): Promise<string>
}

type Parameter = { [Id in OperationId]: keyof ParamsOf<Id> }[OperationId]
type Named = { id: string; name: string }

const services = (session: Session) => listAll(session, 'services.list', {})

/** A new path parameter without an operand does not compile; the organization comes from the settings. */
const operandOf: Record<Exclude<Parameter, 'organizationId'>, Operand> = {
  serviceId: byName('service', services),
  pipeId: byName('pipe', (session, params) => listAll(session, 'pipes.list', { params })),
  userId: byName('user', ({ client, signal }, { serviceId = '' }) =>
    client.call('serviceUsers.list', { params: { serviceId }, signal }),
  ),
  keyId: {
    ...byName('key', ({ client, signal }) => client.call('keys.list', { signal })),
    description: 'id or name of the key; not what one logs in with',
  },
  dashboardId: byName(
    'dashboard',
    ({ client, signal }) => client.call('dashboards.list', { signal }),
    (text) => /^[0-9a-f]{24}$/.test(text),
  ),
  sourceId: byName(
    'source',
    ({ client, signal }) => client.call('sources.list', { signal }),
    (text) => /^[0-9a-f]{24}$/.test(text),
  ),
  tileId: byName(
    'tile',
    async ({ client, signal }, { dashboardId = '' }) =>
      (await client.call('dashboards.get', { params: { dashboardId }, signal })).tiles,
    (text) => /^[0-9a-f]{24}$/.test(text),
  ),
  name: asGiven('variable', 'name of the variable'),
  alertId: byName(
    'alert',
    ({ client, signal }) => client.call('alerts.list', { signal }),
    (text) => /^[0-9a-f]{24}$/.test(text),
  ),
  version: asGiven('version', 'number of the version'),
  backupId: asGiven('backup', 'id of the backup'),
  activityId: asGiven('activity', 'id of the entry'),
  sessionId: asGiven('session', 'id of the session'),
  queryId: asGiven('query', 'id of the query'),
  namedQueryId: byName('query', ({ client, signal }) => client.call('queries.list', { signal })),
  quotaCode: asGiven('code', 'code of the quota'),
}

/** The operands of a command: the parameters in the path of its operation. */
export function operandsOf(id: OperationId): NonNullable<CommandDefinition['operands']> {
  return parametersOf(id).map((parameter) => {
    const { name, description } = operandOf[parameter]
    return [`<${name}>`, description] as const
  })
}

/** The path parameters of an operation, looked up one after the other. */
export async function paramsOf<Id extends OperationId>(
  session: Session,
  id: Id,
  given: Operands,
): Promise<Omit<ParamsOf<Id>, 'organizationId'>> {
  const params: Record<string, string> = {}
  for (const parameter of parametersOf(id)) {
    const { name, find } = operandOf[parameter]
    params[parameter] = await find(session, given[name] ?? '', { ...params })
  }
  return params as unknown as Omit<ParamsOf<Id>, 'organizationId'>
}

/** The id of a service that is given by its id, or by its name if the name is unique. */
export const serviceId = (session: Session, given: string): Promise<string> =>
  operandOf.serviceId.find(session, given, {})

function parametersOf(id: OperationId): (keyof typeof operandOf)[] {
  const names = [...routes[id].path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return names.filter((name): name is keyof typeof operandOf => name in operandOf)
}

function byName(
  name: string,
  list: (session: Session, params: Record<string, string>) => Promise<readonly Named[]>,
  isId: (text: string) => boolean = isUuid,
): Operand {
  return {
    name,
    description: `id or name of the ${name}`,
    find: async (session, given, params) =>
      isId(given) ? given : pick(name, given, await list(session, params)).id,
  }
}

function asGiven(name: string, description: string): Operand {
  return { name, description, find: async (_, given) => given }
}

function pick(noun: string, given: string, all: readonly Named[]): Named {
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
