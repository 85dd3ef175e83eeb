import type { Client } from 'pg'
import type { SourcePipe } from '../source.ts'
import { connect, literal } from './connection.ts'

/** A moment of the database that several sessions read. */
export interface Snapshot {
  /** The transactions that it sees: `xmin:xmax:running,…`. */
  transactions: string
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
      transactions,
      close,
      async open() {
        const client = await connect(pipe)
        clients.add(client)
        await client.query(`${begin}; SET TRANSACTION SNAPSHOT ${literal(name)}`)
        return client
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Whether a snapshot sees what the transaction has done, if that committed. */
export function createVisibility(transactions: string): (xid: number) => boolean {
  if (transactions === '') return () => false
  const [, xmax = 0n, running] = readSnapshot(transactions)
  return (xid) => {
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
