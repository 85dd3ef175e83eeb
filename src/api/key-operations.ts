import { Key, KeyCreateBody, KeyPatchBody, KeyWithSecret } from './key.ts'
import type { OperationDetails } from './operation.ts'
import { inOrganization, organizationId } from './parameters.ts'
import { closed, list, uuid } from './schema.ts'

const onKey = closed({ organizationId, keyId: uuid('The key: its `id`, not what one logs in with.') })

export const keyOperations = {
  'keys.list': {
    summary: 'List keys',
    permission: 'keys:view',
    params: inOrganization,
    result: list(Key, 'Oldest first.'),
    errors: [],
  },
  'keys.create': {
    summary: 'Create a key',
    description: 'The secret is in this answer only: a hash of it is kept.',
    permission: 'keys:manage',
    params: inOrganization,
    body: KeyCreateBody,
    result: KeyWithSecret,
    errors: ['QUOTA_EXCEEDED'],
  },
  'keys.get': {
    summary: 'Get a key',
    permission: 'keys:view',
    params: onKey,
    result: Key,
    errors: [],
  },
  'keys.update': {
    summary: 'Change a key',
    permission: 'keys:manage',
    params: onKey,
    body: KeyPatchBody,
    result: Key,
    errors: ['CONFLICT'],
  },
  'keys.delete': {
    summary: 'Delete a key',
    description: 'A key cannot delete itself, and the last admin key stays.',
    permission: 'keys:manage',
    params: onKey,
    result: Key,
    errors: ['CONFLICT'],
  },
} as const satisfies Record<string, OperationDetails>
