import { quoteIdentifier } from '../../../../lib/clickhouse/identifiers.ts'

/**
 * A database beside the writer's that exists only while a table is being replaced or removed. A new definition is
 * attached in it and then exchanged with the old one, so that there is no moment without the table: a Merge table would
 * answer with too few rows, and without an error. A removed table is moved here and detached here, which frees its name:
 * DETACH keeps the definition's file, and the engine does not overwrite it. A table with parts is never dropped.
 */
export interface SwapDatabase {
  /** Attaches a table with `statement(place)` in this database, and exchanges it with the table `name`. */
  replace(name: string, statement: (place: string) => string): Promise<void>
  remove(name: string): Promise<void>
  isOpen(): boolean
  /** Drops this database if it is empty; otherwise the next `close` tries again. Never rejects. */
  close(): Promise<void>
}

export function createSwapDatabase(run: (sql: string) => Promise<string>): SwapDatabase {
  let isOpen = false
  let places = 0
  const inside = new Set<string>()

  async function enter(): Promise<string> {
    if (!isOpen) await run(`CREATE DATABASE IF NOT EXISTS ${room} ENGINE = Atomic`)
    isOpen = true
    places += 1
    return `${room}.${quoteIdentifier(`t${places}`)}`
  }

  // Without SYNC, which would wait for running queries, and for idle connections that ran one.
  async function detach(place: string): Promise<void> {
    inside.add(place)
    try {
      await run(`DETACH TABLE ${place}`)
      inside.delete(place)
    } catch {
      // The table is still here, so the database stays.
    }
  }

  return {
    async replace(name, statement) {
      const place = await enter()
      await run(statement(place))
      try {
        await run(`EXCHANGE TABLES ${name} AND ${place}`)
      } finally {
        await detach(place)
      }
    },
    async remove(name) {
      const place = await enter()
      await run(`RENAME TABLE ${name} TO ${place}`)
      await detach(place)
    },
    isOpen: () => isOpen,
    async close() {
      if (!isOpen) return
      for (const place of inside) await detach(place)
      if (inside.size > 0) return
      try {
        await run(`DROP DATABASE ${room}`)
        isOpen = false
      } catch {
        // The next round tries again at its end.
      }
    },
  }
}

const room = quoteIdentifier('_granary_side_room')
