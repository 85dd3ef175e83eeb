import { dashboardOperations } from './dashboard-operations.ts'
import { managementOperations } from './management-operations.ts'
import type { Operation } from './operation.ts'
import type { Static, TSchema } from './schema.ts'

const table = { ...managementOperations, ...dashboardOperations }

export type OperationId = keyof typeof table
export type OperationTable = typeof table

/** Every operation of both APIs. */
export const operations: readonly (Operation & { id: OperationId })[] = Object.entries(table).map(
  ([id, operation]) => ({
    id: id as OperationId,
    ...(operation as Omit<Operation, 'id'>),
  }),
)

export function operation(id: OperationId): Operation {
  return { id, ...(table[id] as Omit<Operation, 'id'>) }
}

export const isDashboardOperation = (id: OperationId): boolean => id in dashboardOperations

type Part<Id extends OperationId, Name extends string> = OperationTable[Id] extends {
  [K in Name]: infer S extends TSchema
}
  ? Static<S>
  : undefined
export type ParamsOf<Id extends OperationId> = Part<Id, 'params'>
export type QueryOf<Id extends OperationId> = Part<Id, 'query'>
export type BodyOf<Id extends OperationId> = Part<Id, 'body'>
export type ResultOf<Id extends OperationId> = Part<Id, 'result'>
