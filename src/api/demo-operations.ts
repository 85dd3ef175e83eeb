import { Demo } from './demo.ts'
import type { OperationDetails } from './operation.ts'
import { inOrganization } from './parameters.ts'

export const demoOperations = {
  'demo.get': {
    summary: 'Get the demo',
    permission: 'organization:view',
    params: inOrganization,
    result: Demo,
    errors: [],
  },
  'demo.start': {
    summary: 'Start the demo',
    description:
      'Makes a service, loads generated data of a web shop through a pipe, and makes sources, a dashboard and an alert; live events follow. It answers at once and goes on by itself, over restarts too. A demo that failed goes on where it failed; one that is there stays as it is.',
    permission: 'services:create',
    params: inOrganization,
    result: Demo,
    errors: ['CONFLICT'],
  },
  'demo.remove': {
    summary: 'Remove the demo',
    description:
      'Removes everything that the demo made. What somebody changed since, or put something into, stays and is named in `kept`; a second removal forgets those names.',
    permission: 'services:create',
    params: inOrganization,
    result: Demo,
    errors: [],
  },
} as const satisfies Record<string, OperationDetails>
