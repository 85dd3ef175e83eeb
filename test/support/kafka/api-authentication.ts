import { apis } from './apis.ts'
import { errorCodes } from './error-codes.ts'
import type { Exchange, Handler } from './exchange.ts'
import { saslMechanisms } from './options.ts'
import { createScramServer } from './scram.ts'
import type { WireWriter } from './wire-writer.ts'

export const apiVersions: Handler = ({ version, injected, write }) => {
  writeVersions(write, injected)
  if (version >= 1) write.int32(0)
}

/** Also answers a version that is too new, in the format of version 0. */
export function writeVersions(write: WireWriter, error: number): void {
  write.int16(error).array(apis, ({ key, min, max }) => {
    write.int16(key).int16(min).int16(max)
  })
}

export const saslHandshake: Handler = ({ cluster, session, injected, read, write }) => {
  const mechanism = read.string()
  const offered = cluster.options.sasl?.mechanisms ?? saslMechanisms
  const isKnown = offered.some((one) => one === mechanism)
  session.mechanism = mechanism
  delete session.scram
  session.isRefused = !isKnown
  write.int16(injected || (isKnown ? 0 : errorCodes.unsupportedSaslMechanism))
  write.list(offered, (one) => write.string(one))
}

export const saslAuthenticate: Handler = (exchange) => {
  const { version, injected, read, write, session } = exchange
  const message = read.bytes().toString()
  const answer = injected === 0 ? authenticate(exchange, message) : undefined
  const error = injected || (answer === undefined ? errorCodes.saslAuthenticationFailed : 0)
  if (error !== 0) Object.assign(session, { isAuthenticated: false, isRefused: true })
  write.int16(error).string(error === 0 ? null : 'Authentication failed')
  write.bytes([Buffer.from(answer ?? '')])
  if (version >= 1) write.int64(0)
}

/** The server's message; undefined = the client is refused. */
function authenticate({ cluster, session }: Exchange, message: string): string | undefined {
  const { passwords = {}, tokens = [] } = cluster.options.sasl ?? {}
  const passwordOf = (user: string): string | undefined =>
    Object.hasOwn(passwords, user) ? passwords[user] : undefined
  switch (session.mechanism) {
    case 'PLAIN': {
      const [, user = '', password] = message.split('\0')
      session.isAuthenticated = password !== undefined && passwordOf(user) === password
      return session.isAuthenticated ? '' : undefined
    }
    case 'OAUTHBEARER': {
      const token = message
        .split('\u0001')
        .find((field) => field.startsWith(bearer))
        ?.slice(bearer.length)
      session.isAuthenticated = token !== undefined && tokens.includes(token)
      return session.isAuthenticated ? '' : undefined
    }
    case 'SCRAM-SHA-256':
    case 'SCRAM-SHA-512': {
      const digest = session.mechanism === 'SCRAM-SHA-256' ? 'sha256' : 'sha512'
      session.scram ??= createScramServer(digest, passwordOf)
      const answer = session.scram.next(message)
      session.isAuthenticated = answer !== undefined && session.scram.isDone
      return answer
    }
    default:
      return undefined
  }
}

const bearer = 'auth=Bearer '
