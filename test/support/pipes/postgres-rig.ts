import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import * as certificates from '../kafka/test-certificates.ts'
import { type PostgresServer, startPostgres, unprivilegedUser } from '../postgres.ts'
import type { Ends } from '../server.ts'

/** A PostgreSQL that pipes read: with TLS, a password, and logical decoding. */
export interface PostgresRig {
  server: PostgresServer
  /** Runs statements as the owner of the tables, in a session of its own that is opened again when it is lost. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** Another session of the owner. */
  session(): Promise<Client>
  /** The body of a request for a pipe from tables to targets of the same names. */
  pipe(tables: readonly (string | object)[], settings?: object, more?: object): Record<string, unknown>
}

const password = 'sehr geheim'

export async function startPostgresRig(t: Ends, settings: Record<string, string> = {}): Promise<PostgresRig> {
  const folder = mkdtempSync(join(tmpdir(), 'granary-pg-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const user = await unprivilegedUser()
  const put = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    if (user) chownSync(path, user.uid, user.gid)
    return path
  }
  if (user) chownSync(folder, user.uid, user.gid)
  chmodSync(folder, statSync(folder).mode | 0o011)
  const hba = ['host all postgres 127.0.0.1/32 trust', 'hostssl all all 127.0.0.1/32 scram-sha-256', '']
  const server = await startPostgres({
    settings: {
      ...{ wal_level: 'logical', ssl: 'on', hba_file: put('hba.conf', hba.join('\n')) },
      ssl_cert_file: put('server.crt', certificates.serverCertificate),
      ssl_key_file: put('server.key', certificates.serverKey),
      ...settings,
    },
  })
  t.after(() => server.stop())
  const url = new URL(await server.createDatabase())
  const admin = new Client({ connectionString: url.href })
  await admin.connect()
  await admin.query(`CREATE ROLE pipe LOGIN REPLICATION PASSWORD '${password}'`)
  await admin.query(
    `GRANT ALL ON SCHEMA public TO pipe; GRANT CREATE ON DATABASE ${url.pathname.slice(1)} TO pipe`,
  )
  await admin.end()
  const sessions: Client[] = []
  let client: Client | null = null
  t.after(() => Promise.all(sessions.map((one) => one.end().catch(() => undefined))))
  async function session(): Promise<Client> {
    const made = new Client({
      ...{ host: '127.0.0.1', port: Number(url.port), user: 'pipe', password },
      ...{ database: url.pathname.slice(1), ssl: { ca: certificates.authorityCertificate } },
    })
    made.on('error', () => undefined)
    sessions.push(made)
    await made.connect()
    return made
  }
  return {
    ...{ server, session },
    async sql(text, values) {
      if (client === null) {
        const made = await session()
        made.once('end', () => {
          if (client === made) client = null
        })
        client = made
      }
      const result = await client.query<Record<string, unknown>>(text, values as unknown[])
      return result.rows ?? []
    },
    pipe: (tables, more = {}, rest = {}) => ({
      name: 'from postgres',
      source: {
        postgres: {
          ...{ host: '127.0.0.1', port: Number(url.port), database: url.pathname.slice(1) },
          ...{
            credentials: { username: 'pipe', password },
            caCertificate: certificates.authorityCertificate,
          },
          settings: { syncIntervalSeconds: 1, ...more },
          tableMappings: tables.map((table) =>
            typeof table === 'string'
              ? { sourceSchemaName: 'public', sourceTable: table, targetTable: table }
              : table,
          ),
          ...rest,
        },
      },
      destination: { database: 'default' },
    }),
  }
}
