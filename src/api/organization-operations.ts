import type { OperationDetails } from './operation.ts'
import { Activity, Organization, OrganizationPatchBody, Quota } from './organization.ts'
import { inOrganization, metricsQuery, organizationId, page } from './parameters.ts'
import { closed, list, optional, Type, text, uuid } from './schema.ts'

export const organizationOperations = {
  'organizations.list': {
    summary: 'List organizations',
    description: 'The one organization that the key belongs to.',
    permission: 'organization:view',
    params: closed({}),
    result: list(Organization, 'The organization of the key.'),
    errors: [],
  },
  'organizations.get': {
    summary: 'Get an organization',
    permission: 'organization:view',
    params: inOrganization,
    result: Organization,
    errors: [],
  },
  'organizations.update': {
    summary: 'Change an organization',
    description:
      'With a new tier, `numReplicas` of every service moves to the nearest number that the tier allows. The end of being paid is refused while a service has more memory than is then allowed; the answer names those services.',
    permission: 'organization:manage',
    params: inOrganization,
    body: OrganizationPatchBody,
    result: Organization,
    errors: ['CONFLICT'],
  },
  'organizations.metrics': {
    summary: 'Metrics of all services of an organization',
    permission: 'metrics:view',
    params: inOrganization,
    query: metricsQuery,
    result: text('Prometheus text format.'),
    errors: [],
  },
  'quotas.list': {
    summary: 'List quotas',
    permission: 'organization:view',
    params: inOrganization,
    result: list(Quota, 'Limits in force, with their use.'),
    errors: [],
  },
  'quotas.get': {
    summary: 'Get a quota',
    permission: 'organization:view',
    params: closed({
      organizationId,
      quotaCode: text('The code of the quota.', { minLength: 1, maxLength: 100 }),
    }),
    result: Quota,
    errors: [],
  },
  'activities.list': {
    summary: 'List activities',
    description: 'The audit trail, newest first.',
    permission: 'activities:view',
    params: inOrganization,
    query: closed({
      from_date: optional(
        Type.String({ format: 'iso-date-or-time', description: 'Not before (ISO 8601 date or date-time).' }),
      ),
      to_date: optional(
        Type.String({ format: 'iso-date-or-time', description: 'Not after (ISO 8601 date or date-time).' }),
      ),
      ...page,
    }),
    result: list(Activity, 'Newest first.'),
    errors: [],
  },
  'activities.get': {
    summary: 'Get an activity',
    permission: 'activities:view',
    params: closed({ organizationId, activityId: uuid('The activity.') }),
    result: Activity,
    errors: [],
  },
} as const satisfies Record<string, OperationDetails>
