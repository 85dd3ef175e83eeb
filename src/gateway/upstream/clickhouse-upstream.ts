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
  /** With https. `ca` in PEM, absent = those that Node trusts; `serverName` absent = the host of the URL. */
  tls?: { ca?: string; serverName?: string }
  /** As which user of the server a user of the service asks: its rights are those of the statement. */
  credentialsOf(user: string): { user: string; password: string }
}

/**
 * A plain ClickHouse server, told who asks by what ClickHouse itself knows, so that the server enforces it: user and
 * password in its headers, `readonly` and `session_id` as parameters. Settings, `database` and the statement are the
 * client's own and go on as they came; so does KILL, which the server judges by the rights of the user.
 */
export function createClickHouseUpstream(options: ClickHouseOptions, clock: Clock): Upstream {
  const { protocol, hostname, host, port } = new URL(options.url)
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new Error('a ClickHouse server has a URL of http(s)')
  const isTls = protocol === 'https:'
  const name = hostname.replace(/^\[(.*)\]$/, '$1')
  const target = { ...socketOptions, host: name, port: Number(port || (isTls ? 443 : 80)) }
  // An address is no server name (RFC 6066 §3): the certificate is then held to the address itself.
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

/** Parameters that say who asks, with which rights, and whose session it is: they are the gateway's to set. */
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
 * 2 for who may only read, as the server has it for GET by itself: settings may be changed, `readonly` may not. With 1
 * no statement could have SETTINGS, and no client could send any with GET. A client may ask for less than it may do.
 */
function readonlyLevel(method: string, isReadOnly: boolean, asked: string): 0 | 1 | 2 {
  if (!isReadOnly && asked === '1' && method === 'POST') return 1
  return isReadOnly || (asked !== '' && asked !== '0') ? 2 : 0
}

/** Text of a head goes out as latin1; names and passwords are UTF-8. */
function headerValue(text: string): string {
  if (/[\0\r\n]/.test(text)) throw new Error('a name or password that does not fit into a header')
  return Buffer.from(text).toString('latin1')
}
