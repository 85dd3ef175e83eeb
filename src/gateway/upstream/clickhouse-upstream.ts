import { connect as connectPlain, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Clock } from '../../lib/clock.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { filterParameters } from '../exchange/request-target.ts'
import { socketOptions } from './connection.ts'
import { createConnectionPool } from './connection-pool.ts'
import { framingOf, originOf } from './forwarded-heads.ts'
import type { Asker, Upstream } from './upstream.ts'

export interface ClickHouseOptions {
  /** `http://host:port` or `https://host:port`. */
  url: string
  /** For https. `ca` is PEM, absent = Node's trusted ones; `serverName` absent = the host of the URL. */
  tls?: { ca?: string; serverName?: string }
  /** The server's user for a user of the service: statements have that user's rights. */
  credentialsOf(user: string): { user: string; password: string }
}

/**
 * A plain ClickHouse server. The gateway passes the user on in ClickHouse's own terms, so that the server
 * enforces them: user and password in its headers, `readonly` and `session_id` as parameters. Settings,
 * `database` and the statement go on as the client sent them; so does KILL, which the server judges by the
 * user's rights.
 */
export function createClickHouseUpstream(options: ClickHouseOptions, clock: Clock): Upstream {
  const { protocol, hostname, host, port } = new URL(options.url)
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new Error('a ClickHouse server has a URL of http(s)')
  const isTls = protocol === 'https:'
  const name = hostname.replace(/^\[(.*)\]$/, '$1')
  const target = { ...socketOptions, host: name, port: Number(port || (isTls ? 443 : 80)) }
  // An IP address is no server name (RFC 6066 §3): the certificate is then checked against the address.
  const { ca, serverName = isIP(name) === 0 ? name : undefined } = options.tls ?? {}
  const secure = {
    ...target,
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(ca === undefined ? {} : { ca }),
  }
  return {
    ...createConnectionPool(
      () =>
        isTls
          ? { socket: connectTls(secure), ready: 'secureConnect' }
          : { socket: connectPlain(target), ready: 'connect' },
      clock,
    ),
    head(exchange, asker) {
      const { method, headers } = exchange
      const { user, password } = options.credentialsOf(asker.user)
      return (
        `${method} ${pathOf(exchange, asker)} HTTP/1.1\r\nHost: ${host}\r\n${headers.forwarded}` +
        `${originOf(exchange)}X-ClickHouse-User: ${headerValue(user)}\r\n` +
        `X-ClickHouse-Key: ${headerValue(password)}\r\n${framingOf(exchange)}`
      )
    },
  }
}

/** Parameters for the user, its rights and its session: only the gateway sets them. */
const ownParameters = new Set(['user', 'password', 'quota_key', 'readonly', 'session_id'])

function pathOf({ method, target }: Exchange, { isReadOnly, session }: Asker): string {
  let asked = ''
  const kept = filterParameters(target.forwarded, (name, value) => {
    if (name === 'readonly') asked ||= value()
    return !ownParameters.has(name)
  })
  const level = readonlyLevel(method, isReadOnly, asked)
  const rights = level === 0 ? '' : `readonly=${level}`
  const ownSession = session === '' ? '' : `session_id=${encodeURIComponent(session)}`
  return `/?${[kept, rights, ownSession].filter((text) => text !== '').join('&')}`
}

/**
 * 2 for read-only access, as the server itself does for GET: settings may be changed, `readonly` may not.
 * With 1, no statement could have SETTINGS, and no client could send any with GET. A client may ask for fewer
 * rights than it has.
 */
function readonlyLevel(method: string, isReadOnly: boolean, asked: string): 0 | 1 | 2 {
  if (!isReadOnly && asked === '1' && method === 'POST') return 1
  return isReadOnly || (asked !== '' && asked !== '0') ? 2 : 0
}

/** The head is sent as latin1, but names and passwords are UTF-8. */
function headerValue(text: string): string {
  if (/[\0\r\n]/.test(text)) throw new Error('a name or password that does not fit into a header')
  return Buffer.from(text).toString('latin1')
}
