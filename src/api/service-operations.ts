import type { OperationDetails } from './operation.ts'
import { inOrganization, metricsQuery, onService, paging } from './parameters.ts'
import { routes } from './routes.ts'
import { list, text } from './schema.ts'
import {
  PasswordBody,
  PasswordResult,
  ReplicaScalingBody,
  Service,
  ServiceCreateBody,
  ServicePatchBody,
  ServiceStateBody,
  ServiceWithPassword,
  TotalScalingBody,
} from './service.ts'

export const serviceOperations = {
  'services.list': {
    summary: 'List services',
    permission: 'organization:view',
    params: inOrganization,
    query: paging,
    result: list(Service, 'Oldest first; only those that the key may see.'),
    errors: [],
  },
  'services.create': {
    summary: 'Create a service',
    description: 'The password is in this answer only: a hash of it is kept.',
    permission: 'services:create',
    params: inOrganization,
    body: ServiceCreateBody,
    result: ServiceWithPassword,
    errors: ['CONFLICT', 'QUOTA_EXCEEDED'],
  },
  'services.get': {
    summary: 'Get a service',
    permission: 'services:view',
    params: onService,
    result: Service,
    errors: [],
  },
  'services.update': {
    summary: 'Change name, IP access list or tags of a service',
    permission: 'services:manage',
    params: onService,
    body: ServicePatchBody,
    result: Service,
    errors: ['CONFLICT'],
  },
  'services.delete': {
    summary: 'Delete a service',
    description:
      'Only a stopped or failed one, and the primary of a warehouse only as its last. Ends asynchronously: until then its state is `terminating`.',
    permission: 'services:manage',
    params: onService,
    result: Service,
    errors: ['CONFLICT'],
  },
  'services.updateScaling': {
    summary: 'Update service scaling (total-memory form)',
    description:
      'Deprecated: totals count three replicas, whatever the replica count is. Absent fields keep their value; the merged whole must hold.',
    permission: 'services:manage',
    params: onService,
    body: TotalScalingBody,
    result: Service,
    deprecated: { successor: routes['services.updateReplicaScaling'].path },
    errors: ['CONFLICT'],
  },
  'services.updateReplicaScaling': {
    summary: 'Update service scaling (per-replica form)',
    description: 'Absent fields keep their value; the merged whole must hold.',
    permission: 'services:manage',
    params: onService,
    body: ReplicaScalingBody,
    result: Service,
    errors: ['CONFLICT'],
  },
  'services.updateState': {
    summary: 'Start or stop a service',
    permission: 'services:manage',
    params: onService,
    body: ServiceStateBody,
    result: Service,
    errors: ['CONFLICT'],
  },
  'services.resetPassword': {
    summary: 'Give a service a new password',
    permission: 'services:manage',
    params: onService,
    body: PasswordBody,
    result: PasswordResult,
    errors: ['CONFLICT'],
  },
  'services.cancelRestore': {
    summary: 'Cancel the restore of a service',
    description:
      'Only while it still waits for the data of its backup. The service ends: until nothing is left of it, its state is `terminating`. The backup stays.',
    permission: 'services:manage',
    params: onService,
    result: Service,
    errors: ['CONFLICT'],
  },
  'services.metrics': {
    summary: 'Metrics of a service',
    permission: 'metrics:view',
    params: onService,
    query: metricsQuery,
    result: text('Prometheus text format.'),
    errors: [],
  },
} as const satisfies Record<string, OperationDetails>
