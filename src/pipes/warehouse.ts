import type { SqlDialect } from '../engine/engine.ts'

/** What a pipe needs of the service that it writes to; it knows no other way there. */
export interface PipeWarehouse {
  /** The words in which tables are made safe there. */
  dialect: SqlDialect
  ask: AskWarehouse
}

/**
 * Sends a statement to the service, which is woken if it sleeps. Resolves when the answer begins; what is wrong with
 * the statement or the service is in the answer. Rejects when the signal aborts or the body fails before.
 */
export type AskWarehouse = (question: WarehouseQuestion) => Promise<WarehouseAnswer>

export interface WarehouseQuestion {
  statement: string
  /** What the statement inserts, taken no faster than it is used. */
  body?: AsyncIterable<Uint8Array | string>
  /** Of the answer, where the statement names none. */
  format?: string
  settings?: Readonly<Record<string, string>>
  /** A statement that is sent again under the same id is known by it. */
  queryId?: string
  /** False: the service is woken for it, but not kept awake; absent = it is. */
  countsAsActivity?: boolean
  signal?: AbortSignal
}

export interface WarehouseAnswer {
  /** To be read to its end or destroyed, which cancels the statement. */
  body: AsyncIterable<Uint8Array>
  /** Of a statement that failed before it answered anything. */
  exception: Error | null
}
