import type { Exchange } from '../exchange/exchange.ts'
import type { ConnectionPool } from './connection-pool.ts'

/** The user that a statement is sent as. The gateway has authenticated it; the upstream enforces its rights. */
export interface Asker {
  user: string
  isReadOnly: boolean
  /** Unique for service, user and session; '' = none. */
  session: string
}

/**
 * A server that answers queries over HTTP/1.1 as ClickHouse does: a replica of ours (replica-upstream.ts), or
 * a plain ClickHouse server (clickhouse-upstream.ts). They differ in how they are reached and in how they
 * learn the user; upstream-contract.ts defines what holds for both.
 */
export interface Upstream extends ConnectionPool {
  /**
   * The request's head for the wire, in latin1, without the empty line at its end. It contains nothing by
   * which a client could act as another user, with more rights, or in another user's session.
   */
  head(exchange: Exchange, asker: Asker): string
}
