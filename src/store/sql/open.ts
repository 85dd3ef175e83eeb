import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { ResourceChange } from '../../domain/change/types.ts'
import type { Clock } from '../../lib/clock.ts'
import { ensurePrivateFile, tighten } from '../../lib/private-file.ts'
import type { SecretBox } from '../secret-box.ts'
import type { Repositories, Store } from '../store.ts'
import { createActivities } from './activities.ts'
import { createAlerts } from './alerts.ts'
import { createBackupBuckets } from './backup-buckets.ts'
import { createBackups } from './backups.ts'
import { type ChangeChannel, changeChannel, createChangeFeed } from './change-feed.ts'
import type { Dialect, SqlContext } from './context.ts'
import { createDashboards } from './dashboards.ts'
import { createDemos } from './demos.ts'
import { createHistory } from './history.ts'
import { createKeys } from './keys.ts'
import { createListener } from './listener.ts'
import { migrate } from './migrations.ts'
import { createNamedQueries } from './named-queries.ts'
import { createMeta, createOrganizations } from './organizations.ts'
import { createPipeJournal } from './pipe-journal.ts'
import { createPipes } from './pipes.ts'
import type { Database } from './schema.ts'
import { createServiceUsers } from './service-users.ts'
import { addPorts, createServices, type PortRange } from './services.ts'
import { createSessions } from './sessions.ts'
import { createSources } from './sources.ts'
import { createSqliteDialect, type DirectRun } from './sqlite-dialect.ts'
import { createSqlWork, intentChannel, readAnnounced } from './work.ts'

export interface SqlStoreOptions {
  /** `sqlite:<path>` or `postgres://…`. */
  url: string
  secretBox: SecretBox
  clock: Clock
  endpointPorts: PortRange
  /** How long PostgreSQL may work on one statement: a hanging database must not hang requests. */
  statementTimeoutMs?: number
  log: { info(data: object, message: string): void; warn(data: object, message: string): void }
}

/** Opens the store, migrates its schema, and checks that the secret key is the one it was created with. */
export async function openSqlStore(options: SqlStoreOptions): Promise<Store> {
  const { dialect, db, channel, direct } = connect(options)
  const feed = createChangeFeed(channel, options.log)
  try {
    const applied = await migrate(db, dialect)
    if (applied.length > 0)
      options.log.info({ migrations: applied }, 'the store schema was brought up to date')
    const base: SqlContext = {
      db,
      dialect,
      inTransaction: false,
      clock: options.clock,
      plans: new Map(),
      changed: feed.tell,
      ...(direct ? { direct } : {}),
    }
    const transactionPlans: SqlContext['plans'] = new Map()
    const inTransaction = (tx: Kysely<Database>, changed: SqlContext['changed']): SqlContext => ({
      ...base,
      changed,
      db: tx,
      inTransaction: true,
      plans: transactionPlans,
    })
    await addPorts(base, options.endpointPorts)
    const repositories = createRepositories(base, options)
    await checkSecretKey(repositories, options.secretBox)
    return {
      ...repositories,
      work: createSqlWork(base),
      onIntent: (listener) =>
        channel?.listen(intentChannel, (text) => listener(text === null ? null : readAnnounced(text))) ??
        (() => {}),
      onChange: feed.onChange,
      async transaction(work) {
        const changes: ResourceChange[] = []
        const result = await db
          .transaction()
          .execute((tx) =>
            work(
              createRepositories(
                inTransaction(tx, (change) => changes.push(change)),
                options,
              ),
            ),
          )
          .catch(nameLostConnection)
        for (const change of changes) feed.tell(change)
        return result
      },
      async ping() {
        await sql`select 1`.execute(db)
      },
      async releaseDead(isDead) {
        const owners = await db
          .selectFrom('work')
          .select('lease_owner')
          .distinct()
          .where('lease_owner', 'is not', null)
          .execute()
        const dead = owners.flatMap((row) =>
          row.lease_owner !== null && isDead(row.lease_owner) ? [row.lease_owner] : [],
        )
        if (dead.length === 0) return 0
        const result = await db
          .updateTable('work')
          .set({ lease_owner: null, lease_until: null })
          .where('lease_owner', 'in', dead)
          .executeTakeFirst()
        return Number(result.numUpdatedRows)
      },
      close() {
        feed.close()
        return db.destroy()
      },
    }
  } catch (error) {
    await db.destroy().catch(() => {})
    throw error
  }
}

function createRepositories(
  context: SqlContext,
  { secretBox, endpointPorts }: SqlStoreOptions,
): Repositories {
  return {
    meta: createMeta(context),
    organizations: createOrganizations(context),
    keys: createKeys(context),
    sessions: createSessions(context),
    services: createServices(context, endpointPorts),
    serviceUsers: createServiceUsers(context),
    pipes: createPipes(context, secretBox),
    pipeJournal: createPipeJournal(context),
    backups: createBackups(context),
    backupBuckets: createBackupBuckets(context, secretBox),
    dashboards: createDashboards(context),
    sources: createSources(context),
    alerts: createAlerts(context, secretBox),
    demos: createDemos(context),
    namedQueries: createNamedQueries(context),
    activities: createActivities(context),
    history: createHistory(context),
  }
}

interface Connected {
  dialect: Dialect
  db: Kysely<Database>
  channel: ChangeChannel | null
  direct?: DirectRun
}

function connect({ url, log, statementTimeoutMs = 30_000 }: SqlStoreOptions): Connected {
  if (url.startsWith('sqlite:')) {
    const path = url.slice('sqlite:'.length)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // SQLite creates its log with the mode of the database file.
    ensurePrivateFile(path)
    for (const log of ['-wal', '-shm']) tighten(path + log, 0o600)
    const dialect = createSqliteDialect(path)
    return {
      dialect: 'sqlite',
      db: new Kysely<Database>({ dialect }),
      channel: null,
      direct: dialect.direct,
    }
  }
  // 64-bit integers are times and counters here, far below 2^53, so they are read as numbers.
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === 20 ? Number : pg.types.getTypeParser(oid, format as 'text'),
  }
  const pool = new pg.Pool({
    connectionString: url,
    max: 20,
    connectionTimeoutMillis: 10_000,
    statement_timeout: statementTimeoutMs,
    // Ends the query on this side when the server does not answer at all.
    query_timeout: statementTimeoutMs + 5_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    types: types as never,
  })
  // When a transaction loses its connection, its next statement fails; nothing else needs to happen here.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', (error) => log.warn({ err: error }, 'an idle connection to the store was lost'))
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  const notify = async (text: string) => {
    await sql`select pg_notify(${changeChannel}, ${text})`.execute(db)
  }
  return { dialect: 'postgres', db, channel: { listen: createListener(url, log), notify } }
}

/** A connection lost in a transaction becomes visible only when the rollback fails. */
function nameLostConnection(error: unknown): never {
  if (error instanceof Error && error.message.includes('not queryable')) {
    throw new Error('Connection terminated during a transaction', { cause: error })
  }
  throw error
}

async function checkSecretKey({ meta }: Repositories, secretBox: SecretBox): Promise<void> {
  const purpose = 'secret-key-check'
  const stored = await meta.setOnce(purpose, secretBox.seal(purpose, purpose))
  try {
    secretBox.open(stored, purpose)
  } catch (error) {
    throw new Error(
      'the secret key is not the one this store was made with: set GRANARY_SECRET_KEY or restore secret.key',
      {
        cause: error,
      },
    )
  }
}
