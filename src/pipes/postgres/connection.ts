import { Client } from 'pg'
import type { PostgresSource } from '../../domain/pipe/types.ts'
import { SourceError, type SourcePipe } from '../source.ts'
import { toSourceError } from './errors.ts'

const connectMs = 20_000

/** Texts of values are the same in every session, whatever the server's settings say. */
const sessionSettings = {
  ...{ DateStyle: 'ISO', IntervalStyle: 'postgres', TimeZone: 'UTC', bytea_output: 'hex' },
  ...{ extra_float_digits: '3', client_encoding: 'UTF8', row_security: 'off', xmlbinary: 'base64' },
  ...{ statement_timeout: '0', idle_in_transaction_session_timeout: '0', lock_timeout: '0' },
}

export function postgresOf({ source }: Pick<SourcePipe, 'source'>): PostgresSource {
  if (source.postgres === undefined) throw new SourceError('stop', 'The pipe has no Postgres source.')
  return source.postgres
}

/** Opens a session. Rejects with a `SourceError`. */
export async function connect(
  pipe: Pick<SourcePipe, 'source' | 'secrets'>,
  { isReplication = false }: { isReplication?: boolean } = {},
): Promise<Client> {
  const client = new Client(optionsOf(pipe, isReplication))
  // A statement that runs rejects by itself; an idle session is seen to be gone by its next statement.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw toSourceError(error)
  }
}

function optionsOf(pipe: Pick<SourcePipe, 'source' | 'secrets'>, isReplication: boolean) {
  const { host, port, database, authentication, ...tls } = postgresOf(pipe)
  if (authentication === 'IAM_ROLE')
    throw new SourceError('stop', 'This version logs in to Postgres with user name and password only.')
  const { credentials } = pipe.secrets
  const { username, password } =
    credentials !== undefined && 'username' in credentials ? credentials : { username: '', password: '' }
  const options = Object.entries(sessionSettings).map(([name, value]) => `-c ${name}=${value}`)
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  return {
    ...{ host: bare, port, database, user: username, password },
    ...{ connectionTimeoutMillis: connectMs, keepAlive: true, application_name: 'granary' },
    options: options.join(' '),
    ssl: tls.disableTls ? (false as const) : tlsOptions(bare, tls),
    ...(isReplication ? { replication: 'database' } : {}),
  }
}

const tlsOptions = (
  host: string,
  {
    tlsHost,
    caCertificate,
    skipCertVerification,
  }: Pick<PostgresSource, 'tlsHost' | 'caCertificate' | 'skipCertVerification'>,
) => ({
  servername: tlsHost || host,
  ...(caCertificate === '' ? {} : { ca: caCertificate }),
  rejectUnauthorized: !skipCertVerification,
})

/** A name in a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
