import type { Client } from 'pg'

/**
 * Why a part that joined a table after its load may hold rows that neither the load nor the stream has told; '' = it
 * cannot. A partition that was made as one was empty then. One that was attached, and every child, may have had rows
 * before. The row type of a table is as old as the table.
 */
export async function newcomerReason(client: Client, oid: number): Promise<string> {
  const { rows } = await client.query<{ name: string; isPartition: boolean; isBorn: boolean }>(
    `SELECT c.relname AS name, c.relispartition AS "isPartition", bool_and(t.xmin = i.xmin) AS "isBorn" FROM pg_class c
      JOIN pg_inherits i ON i.inhrelid = c.oid JOIN pg_type t ON t.typrelid = c.oid WHERE c.oid = $1 GROUP BY 1, 2`,
    [oid],
  )
  const [part] = rows
  if (part === undefined || (part.isPartition && part.isBorn)) return ''
  return part.isPartition
    ? `the partition ${part.name} was attached`
    : `the child ${part.name} was added to the table`
}
