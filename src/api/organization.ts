import { activityTypes } from '../domain/activity/types.ts'
import { organizationTiers } from '../domain/organization/tiers.ts'
import { closed, dateTime, flag, oneOf, optional, Type, text, uuid } from './schema.ts'

export const Organization = closed({
  id: uuid('The organization.'),
  name: text('Its name.'),
  tier: oneOf(organizationTiers, 'Decides how many replicas services may have.'),
  paid: flag('Decides how much memory services may have.'),
  createdAt: dateTime('When it was created.'),
})

export const OrganizationPatchBody = closed({
  name: optional(text('Its name.', { minLength: 1, maxLength: 255 })),
  tier: optional(
    oneOf(
      organizationTiers,
      '`numReplicas` of every service moves to the nearest number that the new tier allows.',
    ),
  ),
  paid: optional(flag('Refused while a service is larger than non-paid ones may be.')),
})

export const Quota = closed({
  quotaCode: text('For example services-per-organization.'),
  name: text('What is limited.'),
  limit: Type.Integer({ description: 'The most there may be.' }),
  usage: Type.Integer({ description: 'What there is now.' }),
})

const anyFields = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description })

export const Activity = closed({
  id: uuid('The entry.'),
  createdAt: dateTime('When it happened.'),
  type: oneOf(activityTypes, 'What happened.'),
  actorType: oneOf(['api', 'system'] as const, 'A caller of the API, or Granary itself.'),
  actorId: text('The id of the key; empty for the system.'),
  actorDetails: text('The name of the key, or the part that acted.'),
  actorIpAddress: text('From where; empty for the system.'),
  userAgent: text('With what; empty for the system.'),
  organizationId: uuid('The organization.'),
  serviceId: text('The service, if one was concerned; else empty.'),
  resourceId: text('The resource that changed.'),
  requestId: text('The request that did it; empty for the system.'),
  reason: text('Why, where the system acted.'),
  before: anyFields('The fields that changed, before.'),
  after: anyFields('The fields that changed, after.'),
})
