import { connect } from 'node:net'
import { replicaHeaders } from '../../engine/embedded/protocol.ts'
import type { Clock } from '../../lib/clock.ts'
import { socketOptions } from './connection.ts'
import { createConnectionPool } from './connection-pool.ts'
import { framingOf, originOf } from './forwarded-heads.ts'
import type { Upstream } from './upstream.ts'

/**
 * A replica that this product started, at `unix:<path>` or `http://<host>:<port>`. It trusts the headers of
 * the gateway, which clients cannot send: the user, whether the user may write, and the session.
 */
export function createReplicaUpstream(address: string, clock: Clock): Upstream {
  const options = { ...socketOptions, ...targetOf(address) }
  return {
    ...createConnectionPool(() => ({ socket: connect(options), ready: 'connect' }), clock),
    head(exchange, { user, isReadOnly, session }) {
      const { method, target, headers } = exchange
      return (
        `${method} ${target.forwarded} HTTP/1.1\r\nHost: replica\r\n${headers.forwarded}${originOf(exchange)}` +
        `${replicaHeaders.user}: ${user}\r\n${replicaHeaders.access}: ${isReadOnly ? 'ro' : 'rw'}\r\n` +
        `${session === '' ? '' : `${replicaHeaders.session}: ${session}\r\n`}${framingOf(exchange)}`
      )
    },
  }
}

function targetOf(address: string): { path: string } | { host: string; port: number } {
  if (address.startsWith('unix:')) return { path: address.slice('unix:'.length) }
  const { protocol, hostname, port } = new URL(address)
  if (protocol !== 'http:') throw new Error(`the address of a replica has an unknown form: ${address}`)
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || 80) }
}
