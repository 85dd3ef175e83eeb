import { NamedQuery, NamedQueryBody } from './named-query.ts'
import type { OperationDetails } from './operation.ts'
import { inOrganization, organizationId } from './parameters.ts'
import { closed, list, uuid } from './schema.ts'

const onQuery = closed({ organizationId, namedQueryId: uuid('The query.') })

/** Statements under a name, for everybody who sees the services of the organization. */
export const namedQueryOperations = {
  'queries.list': {
    summary: 'List named queries',
    permission: 'services:view',
    params: inOrganization,
    result: list(NamedQuery, 'By name.'),
    errors: [],
  },
  'queries.create': {
    summary: 'Keep a query under a name',
    permission: 'services:manage',
    params: inOrganization,
    body: NamedQueryBody,
    result: NamedQuery,
    errors: ['QUOTA_EXCEEDED'],
  },
  'queries.get': {
    summary: 'Get a named query',
    permission: 'services:view',
    params: onQuery,
    result: NamedQuery,
    errors: [],
  },
  'queries.replace': {
    summary: 'Replace a named query',
    permission: 'services:manage',
    params: onQuery,
    body: NamedQueryBody,
    result: NamedQuery,
    errors: [],
  },
  'queries.delete': {
    summary: 'Delete a named query',
    permission: 'services:manage',
    params: onQuery,
    result: NamedQuery,
    errors: [],
  },
} as const satisfies Record<string, OperationDetails>
