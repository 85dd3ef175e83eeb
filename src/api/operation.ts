import type { ErrorCode } from '../domain/errors.ts'
import type { Permission } from '../domain/key/permissions.ts'
import type { Route } from './routes.ts'
import type { TSchema } from './schema.ts'

/**
 * One operation of the interface, as data. The server, the typed client, the CLI, the OpenAPI documents and the
 * tests that walk every operation all read this; nothing else knows a path.
 */
export interface Operation extends Route, OperationDetails {
  /** `noun.verb`: also its name in logs, metrics and the client. */
  id: string
}

/** What the table of an operation's noun says of it; where it is, `routes.ts` says. */
export interface OperationDetails {
  summary: string
  description?: string
  permission: Permission
  /** Names of the ids in the path. All are UUIDs in the management API, 24 hex digits in the dashboard API. */
  params: TSchema
  query?: TSchema
  body?: TSchema
  /** Parts of the body that no rule outside of them looks at: what is wrong in one says nothing of the others. */
  independent?: readonly string[]
  result: TSchema
  /** The use of this operation, or of its fields, is discouraged; answers say so. */
  deprecated?: { successor: string }
  /** What it can fail with beyond what every operation can. */
  errors: readonly ErrorCode[]
}

/** Every operation can fail with these. */
const commonErrors = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'TOO_MANY_REQUESTS',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
] as const

/** Whatever takes a body can find it too large, or not declared as JSON. */
const bodyErrors = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const

/** Whatever writes can find the disk full. */
const writeErrors = ['INSUFFICIENT_STORAGE'] as const

export function errorsOf(operation: Operation): ErrorCode[] {
  const all: ErrorCode[] = [
    ...commonErrors,
    ...(operation.method === 'GET' ? [] : writeErrors),
    ...(operation.body ? bodyErrors : []),
    ...operation.errors,
  ]
  return [...new Set(all)]
}
