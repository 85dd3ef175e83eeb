import { type Kysely, sql } from 'kysely'
import type { Database } from './schema.ts'

/**
 * Forward only, applied at start, each exactly once: all pending ones in one transaction, so a crash leaves
 * either the old schema or the new. A released migration is never edited.
 */
const migrations: { name: string; up(db: Kysely<Database>): Promise<void> }[] = [
  { name: '0001-foundation', up: foundation },
  { name: '0002-service-users', up: serviceUsers },
  { name: '0003-service-usage', up: serviceUsage },
  { name: '0004-backup-buckets', up: backupBuckets },
  { name: '0005-backup-loops', up: backupLoops },
  { name: '0006-pipe-journal', up: pipeJournal },
  { name: '0007-dashboards', up: dashboardVersions },
  { name: '0008-alerts', up: alerts },
  { name: '0009-sessions', up: sessions },
  { name: '0010-organization-pipes', up: organizationPipes },
  { name: '0011-history', up: history },
  { name: '0012-demos', up: demos },
  { name: '0013-named-queries', up: namedQueries },
  { name: '0014-lane-times', up: laneTimes },
]

export async function migrate(db: Kysely<Database>, dialect: 'sqlite' | 'postgres'): Promise<string[]> {
  return db.transaction().execute(async (tx) => {
    // SQLite transactions begin with the write lock; Postgres needs an explicit one against a second control
    // plane.
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(7205759403792793)`.execute(tx)
    await sql`create table if not exists migrations (name text primary key, applied_at bigint not null)`.execute(
      tx,
    )
    const rows = await sql<{ name: string }>`select name from migrations`.execute(tx)
    const applied = new Set(rows.rows.map((row) => row.name))
    const unknown = [...applied].filter((name) => !migrations.some((migration) => migration.name === name))
    if (unknown.length > 0) {
      throw new Error(
        `the store was written by a newer Granary (it has ${unknown.join(', ')}): start that version`,
      )
    }
    const pending = migrations.filter((migration) => !applied.has(migration.name))
    for (const migration of pending) {
      await migration.up(tx)
      await sql`insert into migrations (name, applied_at) values (${migration.name}, ${Date.now()})`.execute(
        tx,
      )
    }
    return pending.map((migration) => migration.name)
  })
}

async function foundation(db: Kysely<Database>): Promise<void> {
  const statements = [
    `create table meta (name text primary key, value text not null)`,
    `create table organizations (id text primary key, name text not null, tier text not null, paid integer not null,
       service_count integer not null, key_count integer not null, created_at bigint not null)`,
    `create table keys (id text primary key, organization_id text not null references organizations (id),
       kind text not null, lookup text not null unique, secret_hash text not null, state text not null,
       expire_at bigint, used_at bigint, doc text not null, created_at bigint not null)`,
    `create index keys_by_organization on keys (organization_id, created_at, id)`,
    `create table services (id text primary key, organization_id text not null references organizations (id),
       warehouse_id text not null, is_primary integer not null, generation bigint not null, spec text not null,
       status text not null, password_hash text not null, endpoint_port integer not null,
       created_at bigint not null, updated_at bigint not null)`,
    `create index services_by_organization on services (organization_id, created_at, id)`,
    `create index services_by_warehouse on services (warehouse_id, is_primary)`,
    `create table endpoint_ports (port integer primary key, service_id text)`,
    `create index endpoint_ports_free on endpoint_ports (port) where service_id is null`,
    `create index endpoint_ports_by_service on endpoint_ports (service_id) where service_id is not null`,
    `create table pipes (id text primary key, organization_id text not null references organizations (id),
       service_id text not null references services (id), generation bigint not null, spec text not null,
       status text not null, secrets text not null, created_at bigint not null, updated_at bigint not null)`,
    `create index pipes_by_service on pipes (service_id, created_at, id)`,
    `create table backups (id text primary key, organization_id text not null references organizations (id),
       service_id text not null, started_at bigint not null, generation bigint not null, doc text not null)`,
    `create index backups_by_service on backups (service_id, started_at, id)`,
    `create table backup_configurations (service_id text primary key, doc text not null)`,
    `create table dashboards (id text primary key, organization_id text not null references organizations (id),
       name text not null, doc text not null, created_at bigint not null, updated_at bigint not null)`,
    `create index dashboards_by_organization on dashboards (organization_id, name, id)`,
    `create table activities (id text primary key, organization_id text not null references organizations (id),
       service_id text, created_at bigint not null, doc text not null)`,
    `create index activities_by_organization on activities (organization_id, created_at, id)`,
    `create table work (kind text not null, id text not null, generation bigint not null, due_at bigint,
       lease_owner text, lease_epoch bigint not null, lease_until bigint, attempts integer not null,
       reason text not null, primary key (kind, id))`,
    `create index work_due on work (kind, due_at) where due_at is not null`,
    `create index work_leased on work (kind, lease_until) where lease_until is not null`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

async function serviceUsers(db: Kysely<Database>): Promise<void> {
  const statements = [
    `create table service_users (id text primary key, service_id text not null references services (id),
       name text not null, role text not null, password_hash text not null,
       created_at bigint not null, updated_at bigint not null)`,
    // This index also finds all users of a service.
    `create unique index service_users_by_name on service_users (service_id, name)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

async function serviceUsage(db: Kysely<Database>): Promise<void> {
  await sql.raw(`create table service_usage (service_id text primary key, history text not null)`).execute(db)
}

/**
 * There is no foreign key to the service, because a bucket outlives it as long as a backup lies in the bucket.
 */
async function backupBuckets(db: Kysely<Database>): Promise<void> {
  const statements = [
    `create table backup_buckets (id text primary key, organization_id text not null references organizations (id),
       service_id text not null, url text not null, is_current integer not null, doc text not null,
       secret text not null, created_at bigint not null, updated_at bigint not null)`,
    `create unique index backup_buckets_by_url on backup_buckets (service_id, url)`,
    `create unique index backup_buckets_current on backup_buckets (service_id) where is_current = 1`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** Columns for the backup loops: the running backup, the services restored from a backup, and due times. */
async function backupLoops(db: Kysely<Database>): Promise<void> {
  const statements = [
    `alter table backups add column status text not null default 'in_progress'`,
    `update backups set status = 'done' where doc like '%"status":"done"%'`,
    `update backups set status = 'error' where doc like '%"status":"error"%'`,
    `create index backups_running on backups (service_id) where status = 'in_progress'`,
    `alter table services add column restored_from text`,
    `create index services_restored on services (restored_from) where restored_from is not null`,
    `insert into work (kind, id, generation, due_at, lease_epoch, attempts, reason)
       select 'backup_schedule', id, 1, 0, 0, 0, '' from services where is_primary = 1`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
  const restored = db
    .selectFrom('services')
    .select(['id', 'spec'])
    .where('spec', 'like', '%"restoredFrom":"%')
  for (const { id, spec } of await restored.execute()) {
    const { restoredFrom } = JSON.parse(spec) as { restoredFrom: string | null }
    await db.updateTable('services').set({ restored_from: restoredFrom }).where('id', '=', id).execute()
  }
}

/** Versions of dashboards, and sources. Dashboards that exist begin with version 1. */
async function dashboardVersions(db: Kysely<Database>): Promise<void> {
  const statements = [
    `alter table dashboards add column version bigint not null default 1`,
    `alter table dashboards add column file text`,
    `create index dashboards_from_files on dashboards (organization_id, file) where file is not null`,
    `create table dashboard_versions (dashboard_id text not null references dashboards (id) on delete cascade,
       version bigint not null, saved_at bigint not null, saved_by text not null, name text not null,
       tiles integer not null, doc text not null, primary key (dashboard_id, version))`,
    `create table sources (id text primary key, organization_id text not null references organizations (id),
       name text not null, name_key text not null, kind text not null, is_default integer not null,
       service_id text not null, table_database text not null, table_name text not null, doc text not null,
       created_at bigint not null, updated_at bigint not null)`,
    `create unique index sources_by_name on sources (organization_id, name_key)`,
    `create unique index sources_default on sources (organization_id, kind) where is_default = 1`,
    `create index sources_by_service on sources (service_id)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
  for (let after = ''; ; ) {
    const page = await db
      .selectFrom('dashboards')
      .select(['id', 'name', 'doc', 'updated_at'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(100)
      .execute()
    for (const { id, name, doc, updated_at: saved_at } of page) {
      const { tiles } = JSON.parse(doc) as { tiles: unknown[] }
      const first = { dashboard_id: id, version: 1, saved_at, saved_by: '', name, tiles: tiles.length, doc }
      await db.insertInto('dashboard_versions').values(first).execute()
    }
    const last = page.at(-1)
    if (!last) return
    after = last.id
  }
}

/** A lane has at most one batch that is begun: its batches are inserted one after the other. */
async function pipeJournal(db: Kysely<Database>): Promise<void> {
  const statements = [
    `create table pipe_runs (pipe_id text primary key, resync bigint not null, row_count bigint not null,
       byte_count bigint not null, rejected_count bigint not null, prepared_generation bigint not null,
       delivery text not null, completed integer not null)`,
    `create table pipe_lanes (pipe_id text not null, lane text not null, epoch bigint not null, position text,
       sequence bigint not null, round bigint not null, primary key (pipe_id, lane))`,
    `create table pipe_pending (pipe_id text not null, lane text not null, token text not null,
       first text not null, last text not null, sequence bigint not null, spool text not null,
       source_bytes bigint not null, primary key (pipe_id, lane))`,
    // Pipes of before, which no process ran.
    `update work set due_at = 0 where kind = 'pipe'`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

async function alerts(db: Kysely<Database>): Promise<void> {
  const statements = [
    `create table alerts (id text primary key, organization_id text not null references organizations (id),
       dashboard_id text not null references dashboards (id) on delete cascade, tile_id text not null,
       doc text not null, status text not null, secret text not null,
       created_at bigint not null, updated_at bigint not null)`,
    `create index alerts_by_organization on alerts (organization_id, created_at, id)`,
    `create index alerts_by_dashboard on alerts (dashboard_id)`,
    `create table alert_history (alert_id text not null references alerts (id) on delete cascade,
       evaluation bigint not null, doc text not null, primary key (alert_id, evaluation))`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** A session goes with its key. */
async function sessions(db: Kysely<Database>): Promise<void> {
  const statements = [
    `create table sessions (id text primary key, organization_id text not null references organizations (id),
       key_id text not null references keys (id) on delete cascade, secret_hash text not null unique,
       ip_address text not null, user_agent text not null,
       created_at bigint not null, used_at bigint not null, expire_at bigint not null)`,
    `create index sessions_by_organization on sessions (organization_id, created_at, id)`,
    `create index sessions_by_key on sessions (key_id, used_at)`,
    `create index sessions_by_end on sessions (expire_at)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

async function organizationPipes(db: Kysely<Database>): Promise<void> {
  await sql.raw(`create index pipes_by_organization on pipes (organization_id, created_at, id)`).execute(db)
}

/** The points of an organization are found by it; those of services and pipes by their ids. */
async function history(db: Kysely<Database>): Promise<void> {
  const statements = [
    `create table history (kind text not null, id text not null, organization_id text not null, step integer not null,
       start_at bigint not null, doc text not null, primary key (kind, id, step, start_at))`,
    `create index history_by_organization on history (organization_id, step, start_at) where kind = 'organization'`,
    `create index activities_by_service on activities (service_id, created_at, id) where service_id is not null`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

async function demos(db: Kysely<Database>): Promise<void> {
  await sql
    .raw(
      `create table demos (organization_id text primary key references organizations (id),
       data_plane_id text not null, doc text not null)`,
    )
    .execute(db)
}

async function namedQueries(db: Kysely<Database>): Promise<void> {
  const statements = [
    `create table named_queries (id text primary key, organization_id text not null references organizations (id),
       name text not null, text text not null, service_id text, created_at bigint not null,
       updated_at bigint not null)`,
    `create index named_queries_by_organization on named_queries (organization_id, name, id)`,
    `create index named_queries_by_service on named_queries (service_id) where service_id is not null`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** 0 = the lane did not move since. */
async function laneTimes(db: Kysely<Database>): Promise<void> {
  await sql.raw(`alter table pipe_lanes add column updated_at bigint not null default 0`).execute(db)
}
