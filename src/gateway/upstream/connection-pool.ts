import type { Clock } from '../../lib/clock.ts'
import { type Connection, type Dial, openConnection } from './connection.ts'

/** Connections to one upstream, kept open between requests. */
export interface ConnectionPool {
  /**
   * The most recently used connection, or a new one. A write asks for a `fresh` one: the replica may just
   * have closed a connection that was idle for long, and then it would be unknown whether the write arrived.
   */
  take(use: 'any' | 'fresh'): Connection
  /** Closes idle connections now, and the others when they become idle. */
  close(): void
}

// Below the 5 s after which Node's servers close an idle connection, and far below ClickHouse's 30 s.
const maxIdleMs = 4_000
const freshMs = 1_000
const maxIdle = 256

export function createConnectionPool(dial: Dial, clock: Clock): ConnectionPool {
  const idle: Connection[] = []
  let isClosed = false
  const events = {
    onIdle(connection: Connection) {
      if (isClosed || idle.length >= maxIdle) return connection.destroy()
      connection.idleSinceMs = clock.now()
      idle.push(connection)
    },
    onGone(connection: Connection) {
      const index = idle.indexOf(connection)
      if (index >= 0) idle.splice(index, 1)
    },
  }

  return {
    take(use) {
      const usableSinceMs = clock.now() - (use === 'fresh' ? freshMs : maxIdleMs)
      const last = idle.at(-1)
      if (last?.isUsable && last.idleSinceMs >= usableSinceMs) {
        idle.pop()
        return last
      }
      dropOld(clock.now() - maxIdleMs)
      return openConnection(dial(), events)
    },
    close() {
      isClosed = true
      for (const connection of idle.splice(0)) connection.destroy()
    },
  }

  function dropOld(sinceMs: number): void {
    const young = idle.findIndex((connection) => connection.isUsable && connection.idleSinceMs >= sinceMs)
    for (const connection of idle.splice(0, young < 0 ? idle.length : young)) connection.destroy()
  }
}
