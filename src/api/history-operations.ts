import { historyQuery, OrganizationHistory, PipeHistory, ServiceHistory } from './history.ts'
import type { OperationDetails } from './operation.ts'
import { inOrganization, onService, organizationId, serviceId } from './parameters.ts'
import { closed, uuid } from './schema.ts'

const kept = 'Kept for 30 hours. Reading it wakes nothing; the running minute is not in it yet.'

export const historyOperations = {
  'organizations.history': {
    summary: 'Show what all services used',
    description: `The sums over the services of the organization. ${kept}`,
    permission: 'services:view',
    params: inOrganization,
    query: historyQuery,
    result: OrganizationHistory,
    errors: [],
  },
  'services.history': {
    summary: 'Show what a service used',
    description: kept,
    permission: 'services:view',
    params: onService,
    query: historyQuery,
    result: ServiceHistory,
    errors: [],
  },
  'pipes.history': {
    summary: 'Show what a pipe did',
    description: kept,
    permission: 'pipes:view',
    params: closed({ organizationId, serviceId, pipeId: uuid('The pipe.') }),
    query: historyQuery,
    result: PipeHistory,
    errors: [],
  },
} as const satisfies Record<string, OperationDetails>
