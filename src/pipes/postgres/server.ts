import type { Client } from 'pg'
import type { PostgresSource } from '../../domain/pipe/types.ts'
import { SourceError, type SourcePipe } from '../source.ts'
import { connect, literal, postgresOf, quoted } from './connection.ts'

/** What a pipe keeps at its source: a publication and a slot, of its own or given. */
export const ownName = ({ id }: Pick<SourcePipe, 'id'>): string =>
  `granary_${id.replaceAll('-', '_').toLowerCase()}`

export const publicationOf = (pipe: SourcePipe): string =>
  postgresOf(pipe).settings.publicationName || ownName(pipe)
export const slotOf = (pipe: SourcePipe): string =>
  postgresOf(pipe).settings.replicationSlotName || ownName(pipe)

/** Makes the publication of the pipe hold exactly the mapped tables. One that a person named is theirs. */
export async function preparePublication(client: Client, pipe: SourcePipe): Promise<void> {
  const { settings, tableMappings } = postgresOf(pipe)
  if (settings.publicationName !== '') return
  const name = quoted(ownName(pipe))
  const tables = tableMappings.map(nameOfMapping).join(', ')
  const { rows } = await client.query('SELECT 1 FROM pg_publication WHERE pubname = $1', [ownName(pipe)])
  if (rows.length > 0) await client.query(`ALTER PUBLICATION ${name} SET TABLE ${tables}`)
  else await client.query(`CREATE PUBLICATION ${name} FOR TABLE ${tables}`)
}

export const nameOfMapping = ({
  sourceSchemaName,
  sourceTable,
}: PostgresSource['tableMappings'][number]): string =>
  `${quoted(sourceSchemaName || 'public')}.${quoted(sourceTable)}`

export interface SlotState {
  confirmed: bigint
  /** Why nothing can be read from it any more; '' = it can. */
  lost: string
  isActive: boolean
}

export async function readSlot(client: Client, name: string): Promise<SlotState | null> {
  const { rows } = await client.query<{
    confirmed: string
    wal: string | null
    why: string | null
    active: boolean
  }>(
    `SELECT coalesce(confirmed_flush_lsn, '0/0')::text AS confirmed, to_jsonb(s) ->> 'wal_status' AS wal,
      to_jsonb(s) ->> 'invalidation_reason' AS why, active
      FROM pg_replication_slots s WHERE slot_name = $1 AND slot_type = 'logical'`,
    [name],
  )
  const [row] = rows
  if (row === undefined) return null
  return {
    confirmed: parseLsn(row.confirmed),
    lost: row.wal === 'lost' ? (lostReasons[row.why ?? ''] ?? 'its WAL was removed') : '',
    isActive: row.active,
  }
}

const lostReasons: Record<string, string> = {
  idle_timeout: 'nobody has read it for longer than idle_replication_slot_timeout',
  wal_level_insufficient: 'wal_level was below logical',
}

/** Makes a slot of the pipe's own, in the place of one that an earlier load left. */
export async function createSlot(client: Client, pipe: SourcePipe, version: number): Promise<bigint> {
  const name = ownName(pipe)
  await dropSlot(client, name)
  const isFailover = postgresOf(pipe).settings.enableFailoverSlots
  if (isFailover && version < 170_000)
    throw new SourceError('stop', 'enableFailoverSlots needs Postgres 17 or newer.')
  const options = isFailover ? ', false, false, true' : ''
  const { rows } = await client.query<{ lsn: string }>(
    `SELECT lsn::text FROM pg_create_logical_replication_slot(${literal(name)}, 'pgoutput'${options})`,
  )
  return parseLsn(rows[0]?.lsn ?? '0/0')
}

/** A slot that another session still reads is let go by that session's end. */
export async function dropSlot(client: Client, name: string): Promise<void> {
  await client.query(
    `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = $1 AND active_pid IS NOT NULL`,
    [name],
  )
  for (let tries = 1; ; tries++) {
    try {
      await client.query(
        'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1',
        [name],
      )
      return
    } catch (error) {
      // 55006: the other session has not ended yet.
      if ((error as { code?: string }).code !== '55006' || tries === 50) throw error
      await client.query('SELECT pg_sleep(0.1)')
    }
  }
}

export interface ServerState {
  version: number
  system: string
  timeline: number
}

/** Only a replication session tells the server's identity to every user. */
export async function readServer(client: Client, pipe: SourcePipe): Promise<ServerState> {
  const { rows } = await client.query<{ version: string }>(
    `SELECT current_setting('server_version_num') AS version`,
  )
  const version = Number(rows[0]?.version ?? 0)
  if (postgresOf(pipe).settings.replicationMode === 'snapshot') return { version, system: '', timeline: 0 }
  const session = await connect(pipe, { isReplication: true })
  try {
    const found = await session.query<{ systemid: string; timeline: number }>('IDENTIFY_SYSTEM')
    const { systemid: system = '', timeline = 0 } = found.rows[0] ?? {}
    return { version, system, timeline }
  } finally {
    await session.end().catch(() => undefined)
  }
}

/** `16/B374D848` as a number. */
export function parseLsn(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

export const formatLsn = (lsn: bigint): string =>
  `${(lsn >> 32n).toString(16).toUpperCase()}/${(lsn & 0xffff_ffffn).toString(16).toUpperCase()}`
