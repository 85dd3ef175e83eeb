import type { OperationDetails } from './operation.ts'
import { onService, organizationId, serviceId } from './parameters.ts'
import { closed, list, uuid } from './schema.ts'
import { PasswordBody, PasswordResult } from './service.ts'
import {
  ServiceUser,
  ServiceUserCreateBody,
  ServiceUserPatchBody,
  ServiceUserWithPassword,
} from './service-user.ts'

const onUser = closed({
  organizationId,
  serviceId,
  userId: uuid('The user: its `id`, not what one logs in with.'),
})

export const serviceUserOperations = {
  'serviceUsers.list': {
    summary: 'List the users of a service',
    description: 'Without the built-in user `default`, whose password is the service’s own.',
    permission: 'services:view',
    params: onService,
    result: list(ServiceUser, 'Oldest first.'),
    errors: [],
  },
  'serviceUsers.create': {
    summary: 'Create a user of a service',
    description: 'The password is in this answer only: a hash of it is kept.',
    permission: 'services:manage',
    params: onService,
    body: ServiceUserCreateBody,
    result: ServiceUserWithPassword,
    errors: ['CONFLICT', 'QUOTA_EXCEEDED'],
  },
  'serviceUsers.get': {
    summary: 'Get a user of a service',
    permission: 'services:view',
    params: onUser,
    result: ServiceUser,
    errors: [],
  },
  'serviceUsers.update': {
    summary: 'Change the role of a user',
    permission: 'services:manage',
    params: onUser,
    body: ServiceUserPatchBody,
    result: ServiceUser,
    errors: ['CONFLICT'],
  },
  'serviceUsers.delete': {
    summary: 'Delete a user of a service',
    permission: 'services:manage',
    params: onUser,
    result: ServiceUser,
    errors: ['CONFLICT'],
  },
  'serviceUsers.resetPassword': {
    summary: 'Give a user of a service a new password',
    permission: 'services:manage',
    params: onUser,
    body: PasswordBody,
    result: PasswordResult,
    errors: ['CONFLICT'],
  },
} as const satisfies Record<string, OperationDetails>
