import { Option } from 'commander'
import { type ServiceTier, serviceTiers } from '../../../domain/service/limits.ts'
import type { CommandDefinition } from '../../command.ts'
import { serviceId } from '../../lookup.ts'
import { createService } from '../../new-service.ts'
import {
  defined,
  ipOption,
  parseIps,
  parseTags,
  type ScalingFlags,
  scalingBody,
  scalingOptions,
  tagOption,
} from '../../options.ts'
import { parseDuration } from '../../units.ts'
import { serviceOperand } from '../services/operand.ts'
import { backupOperand } from './operand.ts'

interface Flags extends ScalingFlags {
  name: string
  tier?: ServiceTier
  ip?: string[]
  tag?: string[]
  wait: boolean
  /** Milliseconds. */
  timeout: number
}

export const backupsRestore: CommandDefinition = {
  name: 'restore',
  summary: 'Begin a new service with the data of a backup',
  details:
    'The service that was backed up stays as it is. Waits until the new one runs, unless --no-wait says otherwise. Its password is shown once: only its hash is kept.',
  operands: [serviceOperand, backupOperand],
  options: [
    new Option('--name <name>', 'name of the new service').makeOptionMandatory(),
    ...scalingOptions,
    new Option('--tier <tier>', 'only production services scale their memory').choices(serviceTiers),
    ipOption,
    tagOption,
    new Option('--no-wait', 'do not wait until it runs'),
    new Option('--timeout <time>', 'how long to wait: 90, 90s, 5m, 1h')
      .argParser(parseDuration)
      .default(3_600_000, '1h'),
  ],
  examples: [
    'granary backups restore analytics <backup id> --name analytics-restored',
    'granary backups restore analytics <backup id> --name drill --replicas 1 --no-wait',
  ],
  async run(session, operands: { service: string; backup: string }, flags: Flags) {
    const { client, signal } = session
    const params = { serviceId: await serviceId(session, operands.service), backupId: operands.backup }
    // The backup is looked up by its service: a slip in either must not restore something else.
    const backup = await client.call('backups.get', { params, signal })
    await createService(session, bodyOf(flags, backup.id), flags)
  },
}

function bodyOf(flags: Flags, backupId: string) {
  const optional = defined({
    tier: flags.tier,
    ipAccessList: parseIps(flags.ip),
    tags: parseTags(flags.tag),
  })
  return { name: flags.name, backupId, ...scalingBody(flags), ...optional }
}
