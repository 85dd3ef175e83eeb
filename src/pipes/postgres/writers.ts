import { setTimeout } from 'node:timers/promises'
import type { Client } from 'pg'

const askAgainMs = 200

/**
 * Resolves when every transaction that is writing to these tables has ended. The stream lacks what such a transaction
 * wrote before the publication had the table, or all of it where its commit is before the slot's begin; and a snapshot
 * does not see it until it has ended.
 */
export async function writersEnded(
  client: Client,
  tables: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const first = await writersOf(client, tables)
  for (let left = first; left.size > 0; ) {
    await setTimeout(askAgainMs, undefined, { signal })
    const now = await writersOf(client, tables)
    left = new Set([...first].filter((each) => now.has(each)))
  }
}

async function writersOf(client: Client, tables: readonly number[]): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT virtualtransaction AS name FROM pg_locks
      WHERE locktype = 'relation' AND granted AND relation = ANY($1) AND pid IS DISTINCT FROM pg_backend_pid()
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`,
    [tables],
  )
  return new Set(rows.map(({ name }) => name))
}
