import type { OperationId, ResultOf } from '../../../src/api/operations.ts'
import { type Route, routes } from '../../../src/api/routes.ts'
import type { AnyInput, CallArguments, PieceOf } from '../../../src/client/call-types.ts'

/** The operations of the server's table, as the console calls them. */
export type Id = OperationId
export type Arguments<Name extends Id> = CallArguments<Name>
export type Result<Name extends Id> = ResultOf<Name>
export type Piece<Name extends Id> = PieceOf<Name>

export type { AnyInput }

export const routeOf = (id: Id): Route => routes[id]
