import type { TableDescription } from '../domain/source/types.ts'

/**
 * Reads the tables of a service in its engine; an idle service wakes. Rejects with `UNAVAILABLE` when the service
 * cannot be reached.
 */
export interface TableReader {
  /** Null = there is no such table. */
  describe(serviceId: string, table: { database: string; table: string }): Promise<TableDescription | null>
  /** Every table of the users, by database and name. */
  list(serviceId: string): Promise<TableDescription[]>
  databases(serviceId: string): Promise<string[]>
  /** The names of the tables in a database. */
  tables(serviceId: string, database: string): Promise<string[]>
}
