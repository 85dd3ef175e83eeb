import { dashboardApiOperations } from './dashboard-api-operations.ts'
import { managementOperations } from './management-operations.ts'
import type { Operation, OperationDetails } from './operation.ts'
import { type Route, type RouteId, routes } from './routes.ts'
import type { Static, TSchema } from './schema.ts'

/** Does not compile unless the tables and the routes have the same operations. */
const table = { ...managementOperations, ...dashboardApiOperations } satisfies {
  [Id in RouteId]: OperationDetails &
    ((typeof routes)[Id] extends { takesBody: true } ? { body: TSchema } : { body?: never })
}

export type OperationId = keyof typeof table
export type OperationTable = typeof table

export function operation<Id extends OperationId>(id: Id): Operation & { id: Id } {
  const details: OperationDetails = table[id]
  return { id, ...routes[id], ...details }
}

/** Every operation of both APIs. */
export const operations: readonly (Operation & { id: OperationId })[] = (
  Object.keys(routes) as OperationId[]
).map(operation)

export const isDashboardOperation = (id: OperationId): boolean => id in dashboardApiOperations

type Part<Id extends OperationId, Name extends string> = OperationTable[Id] extends {
  [K in Name]: infer S extends TSchema
}
  ? Static<S>
  : undefined
export type ParamsOf<Id extends OperationId> = Part<Id, 'params'>
export type QueryOf<Id extends OperationId> = Part<Id, 'query'>
export type BodyOf<Id extends OperationId> = Part<Id, 'body'>
export type ResultOf<Id extends OperationId> = Part<Id, 'result'>

/** A result of an answer of lines that is JSON already. */
type Line = string

/** What a handler answers: the result, or its pieces as they are made; null is an event without content. */
export type AnswerOf<Id extends OperationId> = (typeof routes)[Id] extends {
  answer: infer Form extends Exclude<Route['answer'], undefined | 'text'>
}
  ? AsyncIterable<
      Form extends 'events'
        ? ResultOf<Id> | null
        : Form extends string
          ? ResultOf<Id> | Line
          : Uint8Array | string
    >
  : ResultOf<Id>
