import { type ErrorCode, errorCatalogue } from '../../domain/errors.ts'
import { exampleIds } from './example-ids.ts'

/** An example of an error answer, in the shape of its API. */
export function exampleError(api: 'management' | 'dashboards', code: ErrorCode): object {
  const dashboards = api === 'dashboards'
  const wrong = dashboards
    ? { path: ['tiles', 0, 'w'], code: 'out_of_range', message: 'must be at most 24' }
    : { path: ['minReplicaMemoryGb'], code: 'not_multiple', message: 'must be a multiple of 4' }
  const found = code === 'BAD_REQUEST' ? { issues: [wrong] } : {}
  if (dashboards) {
    return { message: dashboardSentences[code] ?? sentences[code], ...found }
  }
  const { status } = errorCatalogue[code]
  const error = `${code}: ${sentences[code]}`
  return { status, error, requestId: exampleIds.request, code, ...extraExamples[code], ...found }
}

const sentences: Record<ErrorCode, string> = {
  BAD_REQUEST: 'minReplicaMemoryGb: must be a multiple of 4',
  UNAUTHORIZED: 'the key is unknown or wrong',
  FORBIDDEN: 'this needs the permission services:manage, which the key does not have',
  NOT_FOUND: 'no such service',
  ROUTE_NOT_FOUND: 'this path is not part of the interface',
  METHOD_NOT_ALLOWED: 'this path takes GET, HEAD, POST',
  CONFLICT: 'cannot delete a service in this state. Current state: running. Allowed states: stopped, failed',
  CANCELLED: 'the query was cancelled',
  PRECONDITION_FAILED: 'the dashboard has changed meanwhile: it is at version 3 now',
  PAYLOAD_TOO_LARGE: 'the body is larger than this operation takes',
  UNSUPPORTED_MEDIA_TYPE: 'the body must be declared as application/json',
  QUOTA_EXCEEDED: 'an organization has at most 100 keys',
  LIMIT_EXCEEDED: 'the limit GRANARY_TILE_TIMEOUT_SECONDS (30) ended the query',
  FAILED_DEPENDENCY: 'the service does not run, and traffic does not wake it. Current state: stopped',
  TOO_MANY_REQUESTS: 'at most 100000 requests in 10 s for each key',
  INTERNAL_ERROR: 'something went wrong on our side',
  UNAVAILABLE: 'the store cannot be reached',
  INSUFFICIENT_STORAGE: 'the disk that the store is on is full',
}

const extraExamples: Partial<Record<ErrorCode, object>> = {
  FORBIDDEN: { permission: 'services:manage' },
  CONFLICT: { currentState: 'running', allowedStates: ['stopped', 'failed'] },
  FAILED_DEPENDENCY: { serviceState: 'stopped', canWake: false },
}

const dashboardSentences: Partial<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'tiles[0].w: must be at most 24',
  UNAUTHORIZED: 'the token is unknown or wrong',
  FORBIDDEN: 'this needs the permission dashboards:manage, which the key does not have',
  NOT_FOUND: 'no such dashboard',
}
