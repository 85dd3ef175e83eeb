import type { Client } from 'pg'
import type { PostgresSource } from '../../domain/pipe/types.ts'
import { type SourceCheck, SourceError, type SourcePipe, type SourceTableCheck } from '../source.ts'
import { describeTable } from './catalog.ts'
import { connect, postgresOf } from './connection.ts'
import { type FaultKind, readFault } from './errors.ts'
import { readSlot } from './server.ts'

type Problem = { path: string[]; message: string }

/** Connects, and tells everything that keeps the pipe from running, each with the way to mend it. */
export async function checkPostgresSource(pipe: SourcePipe, signal: AbortSignal): Promise<SourceCheck> {
  const postgres = postgresOf(pipe)
  let client: Client
  try {
    client = await connect(pipe)
  } catch (error) {
    return { ok: false, problems: [connectProblem(error)] }
  }
  const end = () => void client.end().catch(() => undefined)
  signal.addEventListener('abort', end, { once: true })
  try {
    const isFollowed = postgres.settings.replicationMode !== 'snapshot'
    const { tables, problems: ofTables } = await checkTables(client, postgres, isFollowed)
    const problems = [...(isFollowed ? await checkServer(client, postgres) : []), ...ofTables]
    return problems.length > 0 ? { ok: false, problems } : { ok: true, sample: null, tables }
  } catch (error) {
    const message = readFault(error)?.message
    if (message === undefined) throw error
    return { ok: false, problems: [{ path: ['postgres'], message }] }
  } finally {
    signal.removeEventListener('abort', end)
    await client.end().catch(() => undefined)
  }
}

function connectProblem(error: unknown): Problem {
  const cause = error instanceof SourceError ? (error.cause ?? error) : error
  const fault = readFault(cause)
  const message = fault?.message ?? (error as Error).message
  return { path: ['postgres', fields[fault?.kind ?? 'other']], message }
}

const fields: Record<FaultKind, string> = {
  ...{ host: 'host', tls: 'caCertificate', credentials: 'credentials', database: 'database' },
  ...{ rights: 'credentials', slot: 'settings', other: 'host' },
}

async function checkServer(client: Client, { settings }: PostgresSource): Promise<Problem[]> {
  const { rows } = await client.query<Record<string, string | boolean | number>>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('wal_level') AS wal,
      current_setting('max_replication_slots')::int AS max_slots, current_setting('max_wal_senders')::int AS max_senders,
      (SELECT count(*)::int FROM pg_replication_slots) AS slots,
      (SELECT count(*)::int FROM pg_stat_replication) AS senders,
      (SELECT rolreplication OR rolsuper FROM pg_roles WHERE rolname = current_user) AS own,
      EXISTS (SELECT 1 FROM pg_roles WHERE rolname IN ('rds_replication', 'rds_superuser', 'cloudsqlsuperuser', 'azure_pg_admin')
        AND pg_has_role(current_user, oid, 'member')) AS managed`,
  )
  const found = rows[0] ?? {}
  const problems: Problem[] = []
  const at = (field: string, message: string) =>
    problems.push({ path: ['postgres', ...field.split('.')], message })
  if (Number(found['version']) < 120_000) at('host', 'Postgres 12 or newer is needed.')
  if (found['wal'] !== 'logical')
    at('host', `wal_level is ${found['wal']}: set it to logical and restart the server.`)
  if (found['own'] !== true && found['managed'] !== true)
    at('credentials', 'The user may not replicate: ALTER ROLE … WITH REPLICATION.')
  if (settings.replicationSlotName === '' && Number(found['slots']) >= Number(found['max_slots']))
    at(
      'host',
      `All ${found['max_slots']} replication slots are taken: raise max_replication_slots or drop one.`,
    )
  if (Number(found['senders']) >= Number(found['max_senders']))
    at('host', `All ${found['max_senders']} WAL senders are taken: raise max_wal_senders.`)
  if (settings.enableFailoverSlots && Number(found['version']) < 170_000)
    at('settings.enableFailoverSlots', 'It needs Postgres 17 or newer.')
  if (settings.replicationSlotName !== '') {
    const slot = await readSlot(client, settings.replicationSlotName)
    if (slot === null) at('settings.replicationSlotName', 'There is no logical slot with this name.')
    else if (slot.lost !== '') at('settings.replicationSlotName', `The slot is lost, since ${slot.lost}.`)
  }
  return problems
}

async function checkTables(
  client: Client,
  postgres: PostgresSource,
  isFollowed: boolean,
): Promise<{ problems: Problem[]; tables: SourceTableCheck[] }> {
  const { settings, tableMappings } = postgres
  const problems: Problem[] = []
  const tables: SourceTableCheck[] = []
  const published = await publishedTables(client, settings.publicationName)
  if (published === null)
    problems.push({
      path: ['postgres', 'settings', 'publicationName'],
      message: 'There is no such publication.',
    })
  for (const [index, mapping] of tableMappings.entries()) {
    const { sourceSchemaName, sourceTable } = mapping
    const at = (message: string) =>
      problems.push({
        path: ['postgres', 'tableMappings', String(index)],
        message: `${sourceSchemaName}.${sourceTable}: ${message}`,
      })
    const table = await describeTable(client, mapping, settings)
    if (table === null || !['r', 'p'].includes(table.kind)) {
      at(table === null ? 'There is no such table.' : 'It is no table.')
      continue
    }
    for (const problem of table.problems) at(`${sentence(problem)}.`)
    const { columns, key } = table
    const { targetTable: target, sortingKeys, tableEngine } = mapping
    // A table that keeps nothing has nothing to show.
    if (tableEngine !== 'Null')
      tables.push({ target, columns, sortingKey: [...new Set([...sortingKeys, ...key])] })
    const { rows } = await client.query<{ readable: boolean; owned: boolean }>(
      `SELECT has_table_privilege($1::oid, 'SELECT') AS readable,
        pg_has_role(current_user, relowner, 'USAGE') AS owned FROM pg_class WHERE oid = $1`,
      [table.oid],
    )
    if (rows[0]?.readable !== true) at('The user may not read it: GRANT SELECT.')
    if (!isFollowed) continue
    if (settings.publicationName === '' && rows[0]?.owned !== true)
      at('Only its owner can publish it: make a publication and name it as publicationName.')
    if (published && settings.publicationName !== '' && !published.has(table.oid))
      at(`It is not in the publication ${settings.publicationName}.`)
    if (table.problems.length > 0) continue
    if (table.key.length === 0 && table.tells !== 'all')
      at('It has no primary key, so its changes need ALTER TABLE … REPLICA IDENTITY FULL.')
    else if (table.tells === 'nothing')
      at('Its REPLICA IDENTITY is NOTHING, so its changes cannot be followed.')
    const lacking = mapping.sortingKeys.filter((name) => !table.identity.includes(name))
    if (lacking.length > 0 && table.tells !== 'all')
      at(
        `The WAL does not tell the old ${lacking.join(', ')}, by which the target is sorted: ALTER TABLE … REPLICA IDENTITY FULL.`,
      )
  }
  return { problems, tables }
}

/** The ids of all tables of a publication, with the partitioned ones above them; null = there is none. */
async function publishedTables(client: Client, name: string): Promise<Set<number> | null> {
  if (name === '') return new Set()
  const { rows: found } = await client.query('SELECT 1 FROM pg_publication WHERE pubname = $1', [name])
  if (found.length === 0) return null
  const { rows } = await client.query<{ oid: number }>(
    `WITH RECURSIVE published AS (
        SELECT c.oid FROM pg_publication_tables t JOIN pg_namespace n ON n.nspname = t.schemaname
          JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename WHERE t.pubname = $1
        UNION SELECT i.inhparent FROM pg_inherits i JOIN published p ON i.inhrelid = p.oid)
      SELECT oid FROM published`,
    [name],
  )
  return new Set(rows.map(({ oid }) => oid))
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
