import { Option } from 'commander'
import { type OrganizationTier, organizationTiers } from '../../domain/organization/tiers.ts'
import type { GroupDefinition } from '../command.ts'
import { commandOf } from '../operation-command.ts'
import { defined, importantOption, metricsQuery } from '../options.ts'
import { organizationBlock, organizationsTable } from '../show/organization.ts'

const list = commandOf('organizations.list', {
  summary: 'List organizations: the one that the key belongs to',
  examples: ['granary organizations list'],
  show: organizationsTable,
})

const get = commandOf('organizations.get', {
  summary: 'Show the organization',
  examples: ['granary organizations get', 'granary organizations get --json'],
  show: organizationBlock,
})

const update = commandOf('organizations.update', {
  summary: 'Change the organization',
  details: 'With a new tier, the replicas of every service move to the nearest number that it allows.',
  options: [
    new Option('--name <name>', 'its name'),
    new Option('--tier <tier>', 'decides how many replicas services may have').choices(organizationTiers),
    new Option('--paid', 'services may have the full memory'),
    new Option('--no-paid', 'services have the memory of non-paid ones'),
  ],
  examples: ['granary organizations update --tier ENTERPRISE', 'granary organizations update --name Acme'],
  body: ({ name, tier, paid }: { name?: string; tier?: OrganizationTier; paid?: boolean }) =>
    defined({ name, tier, paid }),
  show: organizationBlock,
})

const metrics = commandOf('organizations.metrics', {
  summary: 'Metrics of all services, in the Prometheus text format',
  options: [importantOption],
  examples: ['granary organizations metrics', 'granary organizations metrics --important'],
  query: metricsQuery,
  show: (_, text) => text,
})

export const organizations: GroupDefinition = {
  name: 'organizations',
  summary: 'The organization that everything belongs to',
  commands: [list, get, update, metrics],
}
