import { Option } from 'commander'
import type { BodyOf } from '../api/operations.ts'
import { type ServiceTier, serviceTiers } from '../domain/service/limits.ts'
import {
  defined,
  durableInsertsOptions,
  ipOption,
  parseIps,
  parseTags,
  type ScalingFlags,
  scalingBody,
  scalingOptions,
  tagOption,
} from './options.ts'
import type { Session } from './session.ts'
import { newServiceBlock } from './show/service.ts'
import { watchService } from './wait.ts'

/** The options of a new service, whether it starts empty or from a backup. */
export interface NewServiceFlags extends ScalingFlags {
  name: string
  tier?: ServiceTier
  ip?: string[]
  tag?: string[]
}

export const newServiceOptions = (nameText: string, more: readonly Option[] = []): Option[] => [
  new Option('--name <name>', nameText).makeOptionMandatory(),
  ...scalingOptions,
  new Option('--tier <tier>', 'only production services scale their memory').choices(serviceTiers),
  ...more,
  ipOption,
  tagOption,
]

export interface CreateFlags extends NewServiceFlags {
  warehouse?: string
  readOnly?: true
  backup?: string
  durableInserts?: boolean
  provider?: string
  region?: string
}

export const createOptions = newServiceOptions('its name', [
  new Option('--warehouse <id>', 'join this warehouse instead of beginning a new one'),
  new Option('--read-only', 'refuse writes; for a service that joins a warehouse'),
  ...durableInsertsOptions,
  new Option('--backup <id>', 'begin with the data of this backup'),
  new Option('--provider <name>', 'where it runs'),
  new Option('--region <name>', 'where it runs'),
])

export function createBody(flags: CreateFlags): BodyOf<'services.create'> {
  const optional = defined({
    tier: flags.tier,
    provider: flags.provider,
    region: flags.region,
    dataWarehouseId: flags.warehouse,
    isReadonly: flags.readOnly,
    durableInserts: flags.durableInserts,
    backupId: flags.backup,
    ipAccessList: parseIps(flags.ip),
    tags: parseTags(flags.tag),
  })
  return { name: flags.name, ...scalingBody(flags), ...optional }
}

/** Creates a service, waits for it if asked to, and shows it with its password, even when the wait fails. */
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
