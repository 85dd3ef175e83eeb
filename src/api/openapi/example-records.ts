import { permissions } from '../../domain/key/permissions.ts'
import { sessionIdleMs } from '../../domain/session/types.ts'
import type { ResultOf } from '../operations.ts'
import { exampleTimeMs, exampleIds as ids } from './example-ids.ts'

/** Resources of the example answers that no rule of the domain makes. */
const createdAt = new Date(exampleTimeMs).toISOString()
export const organization = {
  id: ids.organization,
  name: 'Acme',
  tier: 'SCALE',
  paid: true,
  createdAt,
} as const
export const quota = {
  quotaCode: 'services-per-organization',
  name: 'Services of the organization',
  limit: 500,
  usage: 1,
}
export const key = {
  id: ids.key,
  name: 'terraform',
  kind: 'management',
  state: 'enabled',
  roles: ['admin'],
  serviceGrants: [],
  keySuffix: 's9Lc',
  createdAt,
  expireAt: null,
  usedAt: null,
  ipAccessList: [{ source: '0.0.0.0/0', description: 'Anywhere' }],
} satisfies ResultOf<'keys.get'>
export const identity = {
  id: ids.session,
  expireAt: new Date(exampleTimeMs + sessionIdleMs).toISOString(),
  organization,
  key: { id: key.id, name: key.name, kind: key.kind, roles: key.roles, serviceGrants: [], expireAt: null },
  permissions: [...permissions],
  services: 'all',
} satisfies ResultOf<'session.get'>
export const session = {
  id: ids.session,
  keyId: ids.key,
  keyName: key.name,
  createdAt,
  usedAt: createdAt,
  ipAddress: '127.0.0.1',
  userAgent: 'Mozilla/5.0',
  expireAt: identity.expireAt,
  isCurrent: true,
} satisfies ResultOf<'sessions.delete'>
export const activity = {
  id: ids.activity,
  createdAt,
  type: 'service_stop',
  actorType: 'api',
  actorId: ids.key,
  actorDetails: 'terraform',
  actorIpAddress: '127.0.0.1',
  userAgent: 'curl/8.5.0',
  organizationId: ids.organization,
  serviceId: ids.service,
  resourceId: ids.service,
  requestId: ids.request,
  reason: '',
  before: { desiredState: 'running' },
  after: { desiredState: 'stopped' },
} satisfies ResultOf<'activities.get'>
export const metrics = `# HELP granary_service_replicas Replicas that run.
# TYPE granary_service_replicas gauge
granary_service_replicas{organization="${ids.organization}",service="${ids.service}"} 3
`

const minutesAgo = (minutes: number): string => new Date(exampleTimeMs - minutes * 60_000).toISOString()
/** The ends of two steps. */
export const exampleAxis = {
  ...{ from: minutesAgo(2), to: minutesAgo(0), stepSeconds: 60, times: [minutesAgo(2), minutesAgo(1)] },
}
export const exampleSums = {
  ...{
    memoryBytes: [2_147_483_648, 0],
    memoryLimitBytes: [8_589_934_592, 0],
    storedBytes: [1_073_741_824, 0],
  },
  ...{ queries: [12, 0], rowsWritten: [5_000, 0] },
}
