import { Option } from 'commander'
import { type ServiceTier, serviceTiers } from '../../../domain/service/limits.ts'
import type { CommandDefinition } from '../../command.ts'
import { createService } from '../../new-service.ts'
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
  timeoutOption,
  type WaitOptions,
  waitOption,
} from '../../options.ts'

interface Flags extends ScalingFlags, WaitOptions {
  name: string
  tier?: ServiceTier
  warehouse?: string
  readOnly?: true
  backup?: string
  durableInserts?: boolean
  provider?: string
  region?: string
  ip?: string[]
  tag?: string[]
}

export const servicesCreate: CommandDefinition = {
  name: 'create',
  summary: 'Create a service',
  details:
    'The password is shown once: only its hash is kept. A lost one is replaced with "services password".',
  options: [
    new Option('--name <name>', 'its name').makeOptionMandatory(),
    ...scalingOptions,
    new Option('--tier <tier>', 'only production services scale their memory').choices(serviceTiers),
    new Option('--warehouse <id>', 'join this warehouse instead of beginning a new one'),
    new Option('--read-only', 'refuse writes; for a service that joins a warehouse'),
    ...durableInsertsOptions,
    new Option('--backup <id>', 'begin with the data of this backup'),
    new Option('--provider <name>', 'where it runs'),
    new Option('--region <name>', 'where it runs'),
    ipOption,
    tagOption,
    waitOption,
    timeoutOption,
  ],
  examples: [
    'granary services create --name analytics --wait',
    'granary services create --name big --min-memory 16 --max-memory 64 --replicas 3 --no-idle',
    'granary services create --name reports --warehouse <id> --read-only --replicas 1 --ip 10.0.0.0/8=office',
  ],
  run: (session, _: object, flags: Flags) => createService(session, bodyOf(flags), flags),
}

function bodyOf(flags: Flags) {
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
