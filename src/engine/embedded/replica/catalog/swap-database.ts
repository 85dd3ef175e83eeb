import { quoteIdentifier } from '../../../../lib/clickhouse/identifiers.ts'

/**
 * A database beside the writer's, there only while something is on its way in or out. A new definition is
 * attached in it and then changes places with the old one, so that there is no moment without the table: a table
 * over tables would answer with too few rows, and without an error. What leaves is moved here and detached here,
 * which leaves its name free: DETACH keeps the file of a definition, and the engine does not write over it.
 * Nothing is ever dropped that has parts.
 */
export interface SwapDatabase {
  /** Attaches what `statement` says of the place that it is given, and puts it in the place of `name`. */
  replace(name: string, statement: (place: string) => string): Promise<void>
  remove(name: string): Promise<void>
  isOpen(): boolean
  /** Closes the room if it is empty; else it is tried again the next time. Never rejects. */
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

  // Without SYNC, which waits for running queries, and for connections that ran one and have been idle since.
  async function detach(place: string): Promise<void> {
    inside.add(place)
    try {
      await run(`DETACH TABLE ${place}`)
      inside.delete(place)
    } catch {
      // Still inside; the room stays open.
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
        // Tried again at the end of the next round.
      }
    },
  }
}

const room = quoteIdentifier('_granary_side_room')
