import { Option } from 'commander'
import { type OrganizationTier, organizationTiers } from '../../../domain/organization/tiers.ts'
import type { CommandDefinition } from '../../command.ts'
import { defined } from '../../options.ts'
import { organizationBlock } from '../../show/organization.ts'

export const organizationsUpdate: CommandDefinition = {
  name: 'update',
  summary: 'Change the organization',
  details: 'With a new tier, the replicas of every service move to the nearest number that it allows.',
  options: [
    new Option('--name <name>', 'its name'),
    new Option('--tier <tier>', 'decides how many replicas services may have').choices(organizationTiers),
    new Option('--paid', 'services may have the full memory'),
    new Option('--no-paid', 'services have the memory of non-paid ones'),
  ],
  examples: ['granary organizations update --tier ENTERPRISE', 'granary organizations update --name Acme'],
  async run(
    { client, output, signal },
    _: object,
    { name, tier, paid }: { name?: string; tier?: OrganizationTier; paid?: boolean },
  ) {
    const changed = await client.call('organizations.update', { body: defined({ name, tier, paid }), signal })
    output.result(changed, (form) => organizationBlock(form, changed))
  },
}
