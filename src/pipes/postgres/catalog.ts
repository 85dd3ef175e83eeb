import type { Client } from 'pg'
import type { PostgresSettings, TableMapping } from '../../domain/pipe/types.ts'
import { readArray } from './texts.ts'
import { type PgType, type PgTypes, type SourceColumn, typeOf } from './types.ts'

/** A table of the source, as its catalog describes it now. */
export interface SourceTable {
  oid: number
  /** r: an ordinary table, p: a partitioned one; others cannot be read. */
  kind: string
  columns: SourceColumn[]
  /** What rows have in columns that were added after them; absent = NULL. */
  missing: Map<string, string>
  /** Columns with a default that is not the same for all rows that were there before. */
  rewritten: Set<string>
  /** Columns that identify a row in the target; none = rows have no identity. */
  key: string[]
  /** What the WAL tells of old rows: all columns, those of `identity`, or nothing. */
  tells: 'all' | 'some' | 'nothing'
  identity: string[]
  /** The tables that hold rows: partitions, children, the table itself. */
  parts: number[]
  problems: string[]
}

interface Attribute {
  number: number
  name: string
  type: number
  modifier: number
  dims: number
  generated: string
  missing: string | null
  has_default: boolean
}

/** null = there is no such table. */
export async function describeTable(
  client: Client,
  mapping: TableMapping,
  settings: Pick<PostgresSettings, 'allowNullableColumns' | 'replicationMode'>,
): Promise<SourceTable | null> {
  const { rows: classes } = await client.query<{ oid: number; kind: string; identity: string }>(
    `SELECT c.oid, c.relkind AS kind, c.relreplident AS identity FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2`,
    [mapping.sourceSchemaName || 'public', mapping.sourceTable],
  )
  const [found] = classes
  if (found === undefined) return null
  const { oid, kind } = found
  const attributes = await attributesOf(client, oid)
  const types = await typesOf(
    client,
    attributes.map(({ type }) => type),
  )
  const { primary, replica } = await keysOf(client, oid)
  const children = await partsOf(client, oid)
  const problems: string[] = []
  const excluded = new Set(mapping.excludedColumns)
  // Nothing keeps a child from having the same keys as its parent.
  const hasChildren = kind === 'r' && children.length > 1
  const key = hasChildren ? [] : found.identity === 'i' ? replica : primary
  for (const name of mapping.sortingKeys)
    if (!attributes.some((each) => each.name === name && each.generated === ''))
      problems.push(`the sorting key ${name} is no column of the table`)
  for (const name of key)
    if (excluded.has(name)) problems.push(`the column ${name} is a part of the key and cannot be excluded`)
  const ordered = new Set([...key, ...mapping.sortingKeys])
  const columns = attributes
    .filter(({ name, generated }) => generated === '' && !excluded.has(name))
    .map(({ name, number, type, modifier, dims }): SourceColumn => {
      const target =
        dims > 1 ? { type: 'String', form: 'plain' as const, isArray: false } : typeOf(type, modifier, types)
      return { name, number, ...target, isNullable: settings.allowNullableColumns && !ordered.has(name) }
    })
  const fullParts = children.every(
    (child) => child.identity === 'f' || (child.kind === 'p' && child.oid !== oid),
  )
  const isFull = kind === 'p' ? children.length > 1 && fullParts : fullParts
  if (hasChildren && !isFull && settings.replicationMode !== 'snapshot')
    problems.push('it has children with keys of their own, so it and each of them need REPLICA IDENTITY FULL')
  const tells = isFull ? 'all' : found.identity === 'n' || key.length === 0 ? 'nothing' : 'some'
  return {
    ...{ oid, kind, columns, key, tells, problems, identity: key },
    missing: new Map(
      attributes.flatMap(({ name, missing }) =>
        missing === null ? [] : [[name, readArray(missing)[0] ?? '']],
      ),
    ),
    rewritten: new Set(
      attributes.filter((each) => each.has_default && each.missing === null).map(({ name }) => name),
    ),
    parts: children.filter((child) => child.kind === 'r').map((child) => child.oid),
  }
}

async function attributesOf(client: Client, oid: number): Promise<Attribute[]> {
  const { rows } = await client.query<Attribute>(
    `SELECT attnum AS number, attname AS name, atttypid AS type, atttypmod AS modifier, attndims AS dims,
      attgenerated AS generated, CASE WHEN atthasmissing THEN attmissingval::text END AS missing,
      atthasdef OR attidentity <> '' AS has_default
      FROM pg_attribute WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [oid],
  )
  return rows
}

/** These types, and those that they are made of. */
export async function typesOf(client: Client, oids: readonly number[]): Promise<PgTypes> {
  const types = new Map<number, PgType>()
  for (let wanted = [...new Set(oids)]; wanted.length > 0; ) {
    const { rows } = await client.query<PgType>(
      `SELECT oid, typtype AS kind, typcategory AS category, typelem AS element, typbasetype AS base,
        typtypmod AS "baseModifier" FROM pg_type WHERE oid = ANY($1)`,
      [wanted],
    )
    for (const row of rows) types.set(row.oid, row)
    wanted = rows
      .flatMap(({ element, base }) => [element, base])
      .filter((oid) => oid !== 0 && !types.has(oid))
  }
  return types
}

async function keysOf(client: Client, oid: number): Promise<{ primary: string[]; replica: string[] }> {
  const { rows } = await client.query<{ name: string; primary: boolean; replica: boolean }>(
    `SELECT a.attname AS name, i.indisprimary AS primary, i.indisreplident AS replica FROM pg_index i
      CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, place)
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
      WHERE i.indrelid = $1 AND (i.indisprimary OR i.indisreplident) AND i.indimmediate AND i.indisvalid
      ORDER BY k.place`,
    [oid],
  )
  const names = (is: (row: (typeof rows)[number]) => boolean) => rows.filter(is).map(({ name }) => name)
  return { primary: names((row) => row.primary), replica: names((row) => row.replica) }
}

/** The table and everything below it. */
export async function partsOf(
  client: Client,
  oid: number,
): Promise<{ oid: number; kind: string; identity: string }[]> {
  const { rows } = await client.query<{ oid: number; kind: string; identity: string }>(
    `WITH RECURSIVE below(oid) AS (
        SELECT $1::oid UNION SELECT i.inhrelid FROM pg_inherits i JOIN below b ON i.inhparent = b.oid)
      SELECT c.oid, c.relkind AS kind, c.relreplident AS identity FROM pg_class c JOIN below USING (oid) ORDER BY c.oid`,
    [oid],
  )
  return rows
}
