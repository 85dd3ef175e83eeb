import type { ErrorCode } from '../domain/errors.ts'
import type { Permission } from '../domain/key/permissions.ts'
import type { Route } from './routes.ts'
import type { TSchema } from './schema.ts'

/**
 * One operation of the API, as data. The server, the typed client, the CLI, the OpenAPI documents and the tests
 * that walk every operation all read it; no other code knows a path.
 */
export interface Operation extends Route, OperationDetails {
  /** `noun.verb`: also the operation's name in logs, metrics and the client. */
  id: string
}

/** An operation without its route, as the table of its noun declares it; `routes.ts` has its method and path. */
export interface OperationDetails {
  summary: string
  description?: string
  permission: Permission
  /**
   * Absent = a key of the operation's API, or a session that reaches it. `any` = a key of either kind, or any session.
   * `body` = the request has no credential but the one in its body.
   */
  credential?: 'any' | 'body'
  /** Names of the ids in the path. All are UUIDs in the management API, 24 hex digits in the dashboard API. */
  params: TSchema
  query?: TSchema
  body?: TSchema
  /** Fields of the body that no rule across fields looks at: an issue in one says nothing about the others. */
  independent?: readonly string[]
  /** The body is not checked before the handler: what is wrong with it is part of the answer. */
  judgesBody?: true
  /** A request without a body counts as one with an empty object. */
  bodyIsOptional?: true
  /**
   * The operation asks a service. With `progress` the answer comes as lines if the caller accepts
   * application/x-ndjson: progress while the service works, last the answer or the error.
   */
  asks?: 'progress' | 'quietly'
  result: TSchema
  /** Of the dashboard API: what is beside `data` in the envelope, as the handler gives it to `call.meta`. */
  meta?: TSchema
  /** Answers carry the version of the resource as `ETag`; requests that change it take `If-Match`. */
  versioned?: true
  /** The use of this operation, or of its fields, is discouraged; answers say so. */
  deprecated?: { successor: string }
  /** The errors beyond those that every operation can have. */
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

/** Every operation with a body can refuse it as too large, or as not declared as JSON. */
const bodyErrors = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const

/** Every operation that writes can find the disk full. */
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
