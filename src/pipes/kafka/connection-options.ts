import { connect, type ConnectionOptions as TlsOptions } from 'node:tls'
import type { ConnectionOptions } from '@platformatic/kafka'
import type { KafkaSource, PipeSecrets } from '../../domain/pipe/types.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EgressPolicy } from '../../lib/egress/guard.ts'
import { type AwsKeys, assumedRole } from '../aws/assumed-role.ts'
import { regionOf, signMskToken } from './msk-token.ts'

/** Where the brokers are and how to log in, in the client's words. */
export interface ClientOptions extends ConnectionOptions {
  bootstrapBrokers: string[]
}

export interface ConnectionParts {
  clock: Clock
  /** Where roles may be assumed. */
  egress: EgressPolicy
}

export async function resolveConnection(
  source: KafkaSource,
  secrets: PipeSecrets,
  parts: ConnectionParts,
): Promise<ClientOptions> {
  const bootstrapBrokers = splitList(source.brokers)
  const sasl = saslOf(source, secrets, bootstrapBrokers, parts)
  const isTls = needsTls(source) || (await speaksTls(bootstrapBrokers))
  return {
    bootstrapBrokers,
    ...(isTls ? { tls: tlsOf(source, secrets) } : {}),
    ...(sasl === undefined ? {} : { sasl }),
  }
}

export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Services that people run themselves may have TLS or not; hosted ones always have it. */
const selfHosted: readonly KafkaSource['type'][] = ['kafka', 'redpanda', 'warpstream']

const needsTls = ({ type, authentication, caCertificate }: KafkaSource): boolean =>
  caCertificate !== '' ||
  ['MUTUAL_TLS', 'IAM_ROLE', 'IAM_USER'].includes(authentication) ||
  !(selfHosted.includes(type) || (type === 'msk' && authentication === ''))

function tlsOf({ caCertificate }: KafkaSource, { credentials }: PipeSecrets): TlsOptions {
  return {
    ...(caCertificate === '' ? {} : { ca: caCertificate }),
    ...(credentials !== undefined && 'certificate' in credentials
      ? { cert: credentials.certificate, key: credentials.privateKey }
      : {}),
  }
}

function saslOf(
  { authentication, iamRole }: KafkaSource,
  { credentials }: PipeSecrets,
  brokers: readonly string[],
  { clock, egress }: ConnectionParts,
): ConnectionOptions['sasl'] {
  const region = regionOf(brokers)
  const token = (keys: () => Promise<AwsKeys>): ConnectionOptions['sasl'] => ({
    mechanism: 'OAUTHBEARER',
    // Connections ask again each time they log in.
    token: async () => signMskToken(await keys(), region, clock.now()),
  })
  if (authentication === 'IAM_ROLE')
    return token(assumedRole({ roleArn: iamRole, own: undefined, region, egress }))
  if (credentials === undefined) return undefined
  if ('accessKeyId' in credentials) {
    const { accessKeyId, secretKey: secretAccessKey } = credentials
    return token(async () => ({ accessKeyId, secretAccessKey }))
  }
  if ('connectionString' in credentials) {
    // The user name of Azure Event Hubs for whole connection strings.
    return { mechanism: 'PLAIN', username: '$ConnectionString', password: credentials.connectionString }
  }
  if (!('username' in credentials)) return undefined
  const { username, password } = credentials
  const isScram = authentication === 'SCRAM-SHA-256' || authentication === 'SCRAM-SHA-512'
  return { mechanism: isScram ? authentication : 'PLAIN', username, password }
}

const probeMs = 3_000

/** Whether the first broker that answers begins TLS. Nothing secret is sent. */
async function speaksTls(brokers: readonly string[]): Promise<boolean> {
  for (const broker of brokers) {
    const cut = broker.lastIndexOf(':')
    const host = broker.slice(0, cut).replace(/^\[|\]$/g, '')
    const answer = await probe(host, Number(broker.slice(cut + 1)))
    if (answer !== 'unreachable') return answer === 'tls'
  }
  return false
}

function probe(host: string, port: number): Promise<'tls' | 'plain' | 'unreachable'> {
  return new Promise((resolve) => {
    let isConnected = false
    // The certificate is verified by the connections that are used.
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: probeMs })
    const done = (answer: 'tls' | 'plain' | 'unreachable'): void => {
      resolve(answer)
      socket.destroy()
    }
    socket.once('connect', () => {
      isConnected = true
    })
    socket.once('secureConnect', () => done('tls'))
    socket.once('timeout', () => done(isConnected ? 'plain' : 'unreachable'))
    socket.on('error', ({ message }) => {
      // Only a TLS server sends alerts; a server that wants a client certificate may end the handshake with one.
      done(/alert/i.test(message) ? 'tls' : isConnected ? 'plain' : 'unreachable')
    })
  })
}
