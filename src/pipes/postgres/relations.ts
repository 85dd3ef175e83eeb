import type { Client } from 'pg'
import type { PostgresSettings } from '../../domain/pipe/types.ts'
import { compareRelation, describeRelation, type FollowedTable, placeColumns } from './followed-table.ts'
import { newcomerReason } from './newcomers.ts'
import { readRelation, readTruncate } from './pgoutput.ts'
import type { TableBatch } from './table-batch.ts'
import type { TableState } from './table-state.ts'

/** What the stream tells of tables beside changes of rows. */
export interface Relations {
  /** A description of a relation; its id is at `at`. */
  relate(message: Buffer, at: number): Promise<void>
  truncate(message: Buffer, at: number, lsn: bigint): Promise<void>
}

export interface RelationsOptions {
  /** Tables by the ids of their relations; partitions that come are added. */
  tables: Map<number, FollowedTable>
  catalog: Client
  settings: PostgresSettings
  /** Whether the transaction that is read now matters for the table. */
  isWanted(table: FollowedTable): boolean
  /** Resolves when the catalog sees the transaction that is read now. */
  untilSeen(): Promise<void>
  batchOf(table: FollowedTable): TableBatch
  reload(table: FollowedTable, reason: string): Promise<void>
}

export function createRelations(options: RelationsOptions): Relations {
  const { tables, catalog, settings, isWanted, untilSeen, batchOf, reload } = options

  /** A partition that came later, or a child. */
  async function rootOf(oid: number): Promise<FollowedTable | undefined> {
    const { rows } = await catalog.query<{ oid: number }>(
      `WITH RECURSIVE above(oid) AS (
          SELECT $1::oid UNION SELECT i.inhparent FROM pg_inherits i JOIN above a ON i.inhrelid = a.oid)
        SELECT oid FROM above`,
      [oid],
    )
    const roots = [...tables.values()]
    return roots.find(({ state }) => rows.some((row) => row.oid === state.oid))
  }

  return {
    async relate(message, at) {
      const relation = readRelation(message, at)
      const known = tables.get(relation.oid)
      await untilSeen()
      const table = known ?? (await rootOf(relation.oid))
      if (table === undefined) return
      tables.set(relation.oid, table)
      describeRelation(table, relation)
      if (!isWanted(table)) return
      const reason = known || !table.state.parts ? '' : await newcomerReason(catalog, relation.oid)
      if (reason !== '') return reload(table, reason)
      const found = await compareRelation(catalog, table, relation, settings)
      if ('reload' in found) return reload(table, found.reload)
      if (found.added.length === 0) return
      batchOf(table).push({ do: 'add', target: table.target, columns: found.added })
      table.state.columns.push(...found.added.map(({ missing: _, ...column }) => column))
      table.isDirty = true
      placeColumns(table)
    },
    async truncate(message, at, lsn) {
      const oids = readTruncate(message, at)
      for (const table of new Set(oids.flatMap((oid) => tables.get(oid) ?? []))) {
        if (!isWanted(table)) continue
        const { target } = table
        if (isEmptied(table.state, oids))
          batchOf(table).push({ do: 'empty', target, isSide: false, before: String(lsn) })
        else await reload(table, 'a part of the table was truncated')
      }
    },
  }
}

/** A table that holds rows itself may be truncated without its children. */
function isEmptied({ oid, parts = [] }: TableState, truncated: readonly number[]): boolean {
  if (!truncated.includes(oid)) return false
  return !parts.includes(oid) || parts.every((part) => truncated.includes(part))
}
