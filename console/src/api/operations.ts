import type { OperationId, ResultOf } from '../../../src/api/operations.ts'
import { type Route, routes } from '../../../src/api/routes.ts'
import type {
  AnyInput,
  CallArguments as ServerArguments,
  PieceOf as ServerPiece,
} from '../../../src/client/call-types.ts'
import { type PendingId, type PendingResults, pendingRoutes } from './pending.ts'

/** The operations that the console can call: those of the server's table, and those that are about to be in it. */
export type Id = OperationId | Exclude<PendingId, OperationId>

export type Arguments<Name extends Id> = Name extends OperationId ? ServerArguments<Name> : [input?: AnyInput]
export type Result<Name extends Id> = Name extends OperationId
  ? ResultOf<Name>
  : Name extends PendingId
    ? PendingResults[Name]
    : never
export type Piece<Name extends Id> = Name extends OperationId ? ServerPiece<Name> : unknown

export type { AnyInput }

const known: Record<string, Route> = { ...pendingRoutes, ...routes }

/** The server does not have it yet: nothing asks for it. */
export const isPending = (id: Id): boolean => !(id in routes)

export function routeOf(id: Id): Route {
  const route = known[id]
  if (!route) throw new Error(`there is no operation ${id}`)
  return route
}
