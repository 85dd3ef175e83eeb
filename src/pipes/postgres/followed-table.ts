import type { Client } from 'pg'
import type { PostgresSettings, TableMapping } from '../../domain/pipe/types.ts'
import { describeTable, typesOf } from './catalog.ts'
import type { Relation } from './pgoutput.ts'
import { createVisibility } from './snapshot.ts'
import type { TableState } from './table-state.ts'
import { type SourceColumn, typeOf } from './types.ts'

/** A target table in the stream of changes. */
export interface FollowedTable {
  target: string
  mapping: TableMapping
  state: TableState
  /** Columns that order the rows of the target, by their places among its columns. */
  order: number[]
  key: number[]
  isSeen(transaction: { xid: number; lsn: bigint }): boolean
  /** Where the target's columns are in the tuples of a relation; -1 = nowhere. */
  places: Map<number, Int32Array>
  /** The columns of each relation, as its last description has them. */
  relations: Map<number, string[]>
  /** By the target's columns: whether values may have letters that a line must escape; absent = they may. */
  mayNeedEscapes: boolean[]
  /** The columns have changed, and the journal does not know yet. */
  isDirty: boolean
}

export function createFollowedTable(mapping: TableMapping, state: TableState): FollowedTable {
  const placeOf = (name: string) => state.columns.findIndex((column) => column.name === name)
  const key = state.key.map(placeOf)
  return {
    ...{ target: mapping.targetTable, mapping, state, key, isDirty: false },
    order: [...new Set([...mapping.sortingKeys.map(placeOf), ...key])],
    isSeen: createVisibility(state.snapshot, state.snapshotLsn),
    places: new Map(),
    ...{ relations: new Map(), mayNeedEscapes: [] },
  }
}

/**
 * The server describes a relation once in a session, before its first change, whether or not that change is wanted. Every
 * later change is read by this description.
 */
export function describeRelation(table: FollowedTable, { oid, columns }: Relation): void {
  table.relations.set(
    oid,
    columns.map(({ name }) => name),
  )
  placeColumns(table)
}

/** Finds the target's columns in the relations again, after either have changed. */
export function placeColumns(table: FollowedTable): void {
  const { state, places, relations } = table
  // Postgres writes numbers, times and the like without tabs, line ends and backslashes.
  table.mayNeedEscapes = state.columns.map(({ type }) => type.includes('String'))
  for (const [oid, names] of relations)
    places.set(
      oid,
      Int32Array.from(state.columns, ({ name }) => names.indexOf(name)),
    )
}

export function placesOf({ target, places }: FollowedTable, oid: number): Int32Array {
  const found = places.get(oid)
  if (found === undefined)
    throw new Error(`a change of ${target} came before the description of its relation`)
  return found
}

/** What a new description of a relation means for its table. */
export type RelationChange = { reload: string } | { added: (SourceColumn & { missing: string | null })[] }

/**
 * Compares what the WAL says from here on with what the target is. The catalog is asked about columns that are new; it
 * may be ahead of the WAL, so everything that is not simply a new column loads the table again.
 */
export async function compareRelation(
  client: Client,
  { mapping, state }: FollowedTable,
  relation: Relation,
  settings: PostgresSettings,
): Promise<RelationChange> {
  const excluded = new Set(mapping.excludedColumns)
  const columns = relation.columns.filter(({ name }) => !excluded.has(name))
  const types = await typesOf(
    client,
    columns.map(({ type }) => type),
  )
  const fresh: typeof columns = []
  for (const column of columns) {
    const known = state.columns.find(({ name }) => name === column.name)
    if (known === undefined) fresh.push(column)
    else if (!isSame(known, typeOf(column.type, column.modifier, types)))
      return { reload: `the type of the column ${column.name} has changed` }
  }
  const flagged = relation.columns.filter(({ isKey }) => isKey).map(({ name }) => name)
  const isFull = flagged.length === relation.columns.length
  if (!isFull && flagged.length > 0 && !sameNames(flagged, state.key))
    return { reload: 'the key of the table has changed' }
  if (!state.key.every((name) => columns.some((column) => column.name === name)))
    return { reload: 'a column of the key is gone' }
  if (fresh.length === 0) return { added: [] }
  const table = await describeTable(client, mapping, settings)
  const names = new Set(columns.map(({ name }) => name))
  const added: (SourceColumn & { missing: string | null })[] = []
  for (const { name } of fresh) {
    const column = table?.columns.find((each) => each.name === name)
    // A generated column, or one that was dropped since.
    if (table === null || column === undefined) continue
    const before = state.columns.find(({ number }) => number === column.number)
    if (before !== undefined && !names.has(before.name))
      return { reload: `the column ${before.name} was renamed to ${name}` }
    const missing = table.missing.get(name) ?? null
    if ((missing === null && table.rewritten.has(name)) || (missing !== null && column.isArray))
      return { reload: `the column ${name} was added with a value of its own in each row` }
    added.push({ ...column, missing })
  }
  return { added }
}

/** Arrays of several dimensions are texts. */
const isSame = (known: SourceColumn, now: Pick<SourceColumn, 'type' | 'form' | 'isArray'>): boolean =>
  (known.type === now.type && known.form === now.form && known.isArray === now.isArray) ||
  (now.isArray && !known.isArray && known.type === 'String')

const sameNames = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name) => other.includes(name))
