import type { AnswerOf, BodyOf, OperationId, ParamsOf, QueryOf, ResultOf } from '../api/operations.ts'

/** The input of a call: exactly the parts that the operations table declares. */
export type CallInput<Id extends OperationId> = Part<'params', OwnParams<Id>> &
  Part<'query', QueryOf<Id>> &
  Part<'body', BodyOf<Id>> & { signal?: AbortSignal }

/** The input may be left out when no part of it is required. */
export type CallArguments<Id extends OperationId> =
  Nothing extends CallInput<Id> ? [input?: CallInput<Id>] : [input: CallInput<Id>]

/** Operations whose list comes in pages. */
export type PagedId = {
  [Id in OperationId]: 'cursor' extends keyof QueryOf<Id> ? Id : never
}[OperationId]

export type ItemOf<Id extends PagedId> = ResultOf<Id> extends (infer Item)[] ? Item : never

/** What an answer consists of when it is read as it comes. */
export type PieceOf<Id extends OperationId> =
  AnswerOf<Id> extends AsyncIterable<infer Piece> ? Exclude<Piece, string> : ResultOf<Id>

/** The same parts without their types, for code that handles every operation alike. */
export interface AnyInput {
  params?: Record<string, string | undefined>
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
  signal?: AbortSignal
}

type Nothing = Record<never, never>

/** The organization is the client's own unless the call names one. */
type OwnParams<Id extends OperationId> =
  ParamsOf<Id> extends { organizationId: string }
    ? Omit<ParamsOf<Id>, 'organizationId'> & { organizationId?: string }
    : ParamsOf<Id>

type Part<Name extends string, T> = [T] extends [undefined]
  ? { [K in Name]?: never }
  : Nothing extends T
    ? { [K in Name]?: T }
    : { [K in Name]: T }
