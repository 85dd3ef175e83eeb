import type { Client } from 'pg'
import { SourceError, type SourcePipe } from '../source.ts'
import { connect, literal } from './connection.ts'
import { parseLsn } from './server.ts'

/** A moment of the database that several sessions read. */
export interface Snapshot {
  /** The transactions that it sees: `xmin:xmax:running,…`. */
  transactions: string
  /** A place in the WAL after everything that it sees, in decimal digits. */
  lsn: string
  /** A session that reads at this moment. */
  open(): Promise<Client>
  close(): Promise<void>
}

export async function takeSnapshot(pipe: SourcePipe): Promise<Snapshot> {
  const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
  const holder = await connect(pipe)
  const clients = new Set([holder])
  const close = async () => {
    await Promise.all([...clients].map((client) => client.end().catch(() => undefined)))
  }
  try {
    await holder.query(begin)
    const { rows } = await holder.query<{ name: string; transactions: string }>(
      'SELECT pg_export_snapshot() AS name, pg_current_snapshot()::text AS transactions',
    )
    const { name = '', transactions = '' } = rows[0] ?? {}
    return {
      ...{ transactions, close, lsn: await placeOfNow(pipe) },
      async open() {
        const client = await connect(pipe)
        clients.add(client)
        await client.query(begin)
        await client.query(`SET TRANSACTION SNAPSHOT ${literal(name)}`).catch((error: unknown) => {
          throw isGone(error) ? new SourceError('retry', gone, { cause: error }) : error
        })
        return client
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A snapshot lasts as long as the session that took it. */
const gone = 'The connection that held the moment of the load is gone.'
const isGone = (error: unknown): boolean =>
  ['42704', '22023'].includes((error as { code?: string }).code ?? '')

/**
 * A place in the WAL that is on the server's disk, with everything before it. Without that a server that crashes would
 * forget transactions that the snapshot sees, and give their ids to others.
 */
async function placeOfNow(pipe: SourcePipe): Promise<string> {
  const client = await connect(pipe)
  try {
    await client.query('SET synchronous_commit TO local')
    const { rows } = await client.query<{ lsn: string }>(
      `SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
        ELSE pg_logical_emit_message(true, 'granary', 'snapshot') END::text AS lsn`,
    )
    return String(parseLsn(rows[0]?.lsn ?? '0/0'))
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * Whether a snapshot sees a transaction that committed. Its id tells, where the commit is in the WAL before the snapshot:
 * ids come again, the WAL only grows.
 */
export function createVisibility(
  transactions: string,
  snapshotLsn = '',
): (transaction: { xid: number; lsn: bigint }) => boolean {
  if (transactions === '') return () => false
  const [, xmax = 0n, running] = readSnapshot(transactions)
  const end = snapshotLsn === '' ? null : BigInt(snapshotLsn)
  return ({ xid, lsn }) => {
    if (end !== null && lsn >= end) return false
    // Transactions of the WAL have 32 bits; the full number is the one next to the snapshot's end.
    const low = Number(xmax & 0xffff_ffffn)
    const full = xmax + BigInt((xid - low) | 0)
    return full < xmax && !running.has(full)
  }
}

function readSnapshot(text: string): [bigint, bigint, Set<bigint>] {
  const [xmin = '0', xmax = '0', running = ''] = text.split(':')
  return [BigInt(xmin), BigInt(xmax), new Set(running.split(',').filter(Boolean).map(BigInt))]
}
