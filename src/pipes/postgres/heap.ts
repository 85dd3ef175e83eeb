import type { Client } from 'pg'
import { SourceError } from '../source.ts'
import { quoted } from './connection.ts'

/** A table that holds rows: its name for statements, and the file in which its rows lie. */
export interface Heap {
  oid: number
  name: string
  file: string
}

/**
 * Locks the tables against being rewritten while a snapshot reads them. A table that was rewritten or emptied after the
 * snapshot would look empty in it, so then the snapshot is of no use.
 */
export async function lockHeaps(client: Client, oids: readonly number[]): Promise<Heap[]> {
  const { rows } = await client.query<{ oid: number; schema: string; name: string }>(
    `SELECT c.oid, n.nspname AS schema, c.relname AS name FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = ANY($1) ORDER BY c.oid`,
    [oids],
  )
  const heaps = rows.map(({ oid, schema, name }) => ({ oid, name: `${quoted(schema)}.${quoted(name)}` }))
  if (heaps.length > 0)
    await client.query(
      `LOCK TABLE ${heaps.map(({ name }) => `ONLY ${name}`).join(', ')} IN ACCESS SHARE MODE`,
    )
  const { rows: files } = await client.query<{ oid: number; then: string; now: string | null }>(
    `SELECT oid, relfilenode::text AS then, pg_relation_filenode(oid)::text AS now FROM pg_class WHERE oid = ANY($1)`,
    [oids],
  )
  const fileOf = new Map(files.map(({ oid, then, now }) => [oid, then === now ? then : null]))
  return heaps.map(({ oid, name }) => {
    const file = fileOf.get(oid)
    if (file == null) throw new SourceError('retry', `The table ${name} was rewritten as its load began.`)
    return { oid, name, file }
  })
}
