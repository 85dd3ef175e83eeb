import type { Exchange } from '../exchange/exchange.ts'
import type { ConnectionPool } from './connection-pool.ts'

/** As whom a statement is sent on. The gateway has found it out; the upstream holds the statement to it. */
export interface Asker {
  user: string
  isReadOnly: boolean
  /** Unique for service, user and session; '' = none. */
  session: string
}

/**
 * A server that answers queries over HTTP/1.1 as ClickHouse does: a replica of ours (replica-upstream.ts), or a plain
 * ClickHouse server (clickhouse-upstream.ts). They differ in how they are reached and in how they are told who asks;
 * upstream-contract.ts says what holds for both.
 */
export interface Upstream extends ConnectionPool {
  /**
   * The request's head as it goes out, without the empty line at its end, in latin1. Nothing by which a client could
   * ask as somebody else, with more rights, or in a session of others is in it.
   */
  head(exchange: Exchange, asker: Asker): string
}
