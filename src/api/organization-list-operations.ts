import { Backup } from './backup.ts'
import { ResourceChange } from './change.ts'
import type { OperationDetails } from './operation.ts'
import { inOrganization, paging } from './parameters.ts'
import { Pipe } from './pipe.ts'
import { closed, list, Type, text, uuid } from './schema.ts'

const serviceName = text('The name of the service.')

const OrganizationPipe = closed({ ...Pipe.properties, serviceName })

const orNone = (description: string) => Type.Union([Backup, Type.Null()], { description })

const ServiceBackups = closed({
  serviceId: uuid('The service; the primary one of its warehouse.'),
  serviceName,
  newest: orNone('The backup that began last; null = there is none.'),
  newestGood: orNone('The newest backup that was read back whole; null = there is none.'),
  running: orNone('The backup in progress; null = there is none.'),
  nextDueAt: text('When the next backup is due (ISO 8601); in the past when it is overdue.'),
  reason: text('Why it is due then.'),
  bucketPath: text('The bucket of your own that it will go to; empty = the folder of the server.'),
})

/** Views over all services of an organization, of which a caller gets those that its key may see. */
export const organizationListOperations = {
  'organizations.pipes': {
    summary: 'List the pipes of all services',
    description: 'Without a limit, the oldest thousand.',
    permission: 'organization:view',
    params: inOrganization,
    query: paging,
    result: list(OrganizationPipe, 'Oldest first; only those that the key may see.'),
    errors: [],
  },
  'organizations.backups': {
    summary: 'Show the newest backups of all services',
    description: 'Without a limit, of the oldest hundred services.',
    permission: 'organization:view',
    params: inOrganization,
    query: paging,
    result: list(ServiceBackups, 'One entry for each service that has backups, oldest service first.'),
    errors: [],
  },
  'organizations.changes': {
    summary: 'Follow the changes of an organization',
    description:
      'A stream of events: one for each resource that was created, changed or removed, as soon as it was. It says what to read again, not what is different. A comment every 15 seconds shows that the stream lives. The stream ends when the key or the session does, when the server stops, and when its reader falls far behind: connect again, and read again what is shown. A key may have 100 streams.',
    permission: 'organization:view',
    params: inOrganization,
    result: ResourceChange,
    errors: [],
  },
} as const satisfies Record<string, OperationDetails>
