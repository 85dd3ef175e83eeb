import { Option } from 'commander'
import { type OrganizationTier, organizationTiers } from '../../domain/organization/tiers.ts'
import type { GroupDefinition } from '../command.ts'
import { commandOf } from '../operation-command.ts'
import { defined, historyQuery, importantOption, metricsQuery, rangeOption } from '../options.ts'
import { allBackupsTable } from '../show/backup.ts'
import { organizationHistoryTable } from '../show/history.ts'
import { organizationBlock, organizationsTable } from '../show/organization.ts'
import { allPipesTable } from '../show/pipe.ts'

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

const pipes = commandOf('organizations.pipes', {
  summary: 'List the pipes of all services, oldest first',
  examples: ['granary organizations pipes', 'granary organizations pipes --json | jq -r .[].state'],
  show: allPipesTable,
})

const backups = commandOf('organizations.backups', {
  summary: 'Show the newest backup of every service, and when the next is due',
  examples: ['granary organizations backups'],
  show: allBackupsTable,
})

const changes = commandOf('organizations.changes', {
  summary: 'Follow the changes of the organization',
  details:
    'One line for each resource that was created, changed or removed, as it happens. Ends with Ctrl-C, with the key, or with the server.',
  examples: ['granary organizations changes', 'granary organizations changes --json | jq -r .id'],
  show: (_, { resource, id, serviceId }) =>
    `${resource} ${id}${serviceId && serviceId !== id ? ` of service ${serviceId}` : ''}`,
})

const history = commandOf('organizations.history', {
  summary: 'What all services used, over time',
  options: [rangeOption],
  examples: ['granary organizations history', 'granary organizations history --range 1h'],
  query: historyQuery,
  show: organizationHistoryTable,
})

export const organizations: GroupDefinition = {
  name: 'organizations',
  summary: 'The organization that everything belongs to',
  commands: [list, get, update, pipes, backups, history, changes, metrics],
}
