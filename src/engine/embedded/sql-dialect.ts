import { quoteIdentifier } from '../../lib/clickhouse/identifiers.ts'
import type { SqlDialect } from '../engine.ts'

/** One writer on local disks: plain table engines, and repeated blocks known by a log that the table keeps. */
export const embeddedDialect: SqlDialect = {
  tableEngine: (family) => family,
  // Atomic must be named: the engine as a library would make another kind, which readers cannot follow.
  createDatabase: (name) => `CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(name)} ENGINE = Atomic`,
  deduplication: {
    // The log is read when the table is opened: long enough for everything in flight, short enough to wake fast.
    tableSettings: { non_replicated_deduplication_window: 1_000 },
    insertSettings: { async_insert: 0, insert_deduplicate: 1 },
  },
  readYourWrites: 'writer',
}
