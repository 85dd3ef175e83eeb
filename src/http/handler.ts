import type { AnswerOf, BodyOf, OperationId, ParamsOf, QueryOf } from '../api/operations.ts'
import type { Caller, ControlContext } from '../control/context.ts'
import type { PageOf } from '../control/paging.ts'

/**
 * A request after authentication and validation, so that everything in it has its type. Its methods work on the call
 * alone; `this` has the compiler refuse one that was taken off it.
 */
export interface Call<Id extends OperationId> {
  params: ParamsOf<Id>
  query: QueryOf<Id>
  body: BodyOf<Id>
  caller: Caller
  /** The request came over TLS, here or at a trusted proxy; told to the operations of the session only. */
  readonly isSecure: boolean
  /** A header of the request; undefined = it was not sent. */
  requestHeader(this: object, name: string): string | undefined
  /** Sets a header of the answer. */
  header(this: object, name: string, value: string): void
  /** Adds a sentence to `warnings` of the answer. */
  warn(this: object, text: string): void
  /** Puts `meta` beside `data` into the envelope; the operation declares its schema. */
  meta(this: object, value: object): void
  /** Tells the caller of progress; absent = the caller does not want to know. */
  progress?(value: object): void
  /** Checks the credential of the request again, during a long answer; rejects when it is not accepted any more. */
  authenticate(this: object): Promise<Caller>
  /** Closes the connection of a caller that does not take the answer. */
  hangUp(this: object): void
  /** Aborts when the caller disconnects before the answer is complete, or the server stops. */
  readonly signal: AbortSignal
}

/** Maps a call to one call of the control layer. */
export type Handler<Id extends OperationId> = (
  control: ControlContext,
  call: Call<Id>,
) => Promise<AnswerOf<Id>>

export type Handlers<Ids extends OperationId = OperationId> = { [Id in Ids]: Handler<Id> }

/** The items of a page; the position of the next page goes into a header, so that the result stays an array. */
export function answerPage<T>(call: { header(name: string, value: string): void }, page: PageOf<T>): T[] {
  if (page.next !== null) call.header('x-next-cursor', page.next)
  return page.items
}
