import { quoteIdentifier } from '../../lib/clickhouse/identifiers.ts'
import type { SqlDialect } from '../engine.ts'

/** One writer on local disks: plain table engines; a log in each table recognizes repeated blocks. */
export const embeddedDialect: SqlDialect = {
  tableEngine: (family) => family,
  // Atomic must be named: chDB's default database engine is another one, which readers cannot follow.
  createDatabase: (name) => `CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(name)} ENGINE = Atomic`,
  deduplication: {
    // Opening a table reads this log, a few milliseconds for a full one. A block per partition of an insert goes in.
    tableSettings: { non_replicated_deduplication_window: 10_000 },
    insertSettings: { async_insert: 0, insert_deduplicate: 1 },
  },
}
