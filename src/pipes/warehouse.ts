import type { SqlDialect } from '../engine/engine.ts'

/** A pipe's only access to the service that it writes to. */
export interface PipeWarehouse {
  /** How this service's engine creates tables that are durable and drop repeated blocks. */
  dialect: SqlDialect
  ask: AskWarehouse
}

/**
 * Sends a statement to the service, which is woken if it sleeps. Resolves when the answer begins; errors of the
 * statement or the service are in the answer. Rejects when the signal aborts or the body fails before.
 */
export type AskWarehouse = (question: WarehouseQuestion) => Promise<WarehouseAnswer>

export interface WarehouseQuestion {
  statement: string
  /** The data that the statement inserts, read with backpressure. */
  body?: AsyncIterable<Uint8Array | string>
  /**
   * How many records are in the body of an `INSERT … SELECT … FROM input(…)`. Those that cannot be read are left out,
   * and the answer says which: `{"rows":…,"rejects":[ordinals]}`. An engine that cannot do that fails or answers nothing.
   */
  records?: number
  /** `address:port` of servers that the engine must reach for this statement, even if users' SQL may not. */
  endpoints?: readonly string[]
  /** Format of the answer, if the statement names none. */
  format?: string
  settings?: Readonly<Record<string, string>>
  /** A statement that is sent again under the same id is recognized by it. */
  queryId?: string
  /** False = the statement keeps the service awake only while it runs; absent = as a query of a user does. */
  countsAsActivity?: boolean
  signal?: AbortSignal
}

export interface WarehouseAnswer {
  /** Names are in lower case; `x-clickhouse-summary` counts the rows. */
  headers: Readonly<Record<string, string>>
  /** Must be read to its end, or destroyed, which cancels the statement. */
  body: AsyncIterable<Uint8Array>
  /** Set when the statement failed before it answered anything. */
  exception: (Error & { code: number }) | null
}
