import type { Client } from 'pg'
import type { PostgresSettings, TableMapping } from '../../domain/pipe/types.ts'
import { literal, quoted } from './connection.ts'
import type { Heap } from './heap.ts'
import type { LoadPlan } from './table-state.ts'

const blockBytes = 8192
/** Pieces of the heap, so that few batches are cut for their size. */
const maxPieceBlocks = 2048
/** Rows of a sample that tells where pieces by values begin. */
const sampleRows = 30_000
const maxBounds = 1_000

export interface PlanOptions {
  heaps: readonly Heap[]
  version: number
  mapping: Pick<TableMapping, 'partitionKey'>
  settings: Pick<PostgresSettings, 'snapshotNumRowsPerPartition'>
}

/** Cuts a table into pieces. The first and the last piece of each part are open, since parts grow. */
export async function planLoad(
  client: Client,
  { heaps, version, mapping: { partitionKey }, settings }: PlanOptions,
): Promise<LoadPlan> {
  const { rows: sizes } = await client.query<{ oid: number; bytes: string; rows: number }>(
    `SELECT oid, pg_relation_size(oid) AS bytes, reltuples::float8 AS rows FROM pg_class WHERE oid = ANY($1) ORDER BY oid`,
    [heaps.map(({ oid }) => oid)],
  )
  const files = new Map(heaps.map(({ oid, file }) => [oid, file]))
  const blocksOf = (bytes: string) => Math.ceil(Number(bytes) / blockBytes)
  const blocks = sizes.reduce((sum, { bytes }) => sum + blocksOf(bytes), 0)
  // A table that was never analyzed: some 40 rows in a block.
  const rows = sizes.reduce((sum, each) => sum + (each.rows >= 0 ? each.rows : 40 * blocksOf(each.bytes)), 0)
  const wanted = Math.max(1, rows / settings.snapshotNumRowsPerPartition)
  const blocksPerPiece = Math.max(1, Math.min(maxPieceBlocks, Math.ceil(blocks / wanted)))
  const bounds =
    partitionKey === '' ? [] : await boundsOf(client, heaps, partitionKey, { rows, pieces: wanted })
  const piecesIn = (bytes: string): number => {
    if (partitionKey !== '') return bounds.length + 1
    // Before Postgres 14 a range of blocks is read by reading all of the table.
    return version >= 140_000 ? Math.max(1, Math.ceil(blocksOf(bytes) / blocksPerPiece)) : 1
  }
  return {
    ...{ blocksPerPiece, rows: Math.round(rows) },
    ...(partitionKey === '' ? {} : { split: { column: partitionKey, bounds } }),
    parts: sizes.map(({ oid, bytes }) => ({ oid, file: files.get(oid) ?? '', pieces: piecesIn(bytes) })),
  }
}

/** Values of the column that cut the table into about so many pieces of the same size. */
async function boundsOf(
  client: Client,
  heaps: readonly Heap[],
  column: string,
  { rows, pieces }: { rows: number; pieces: number },
): Promise<string[]> {
  const count = Math.min(maxBounds, Math.ceil(pieces) - 1)
  if (count < 1) return []
  const percent = Math.min(100, Math.max(0.01, (100 * sampleRows) / Math.max(1, rows)))
  const samples = heaps.map(
    ({ name }) => `SELECT ${quoted(column)} AS v FROM ONLY ${name} TABLESAMPLE SYSTEM (${percent})`,
  )
  const shares = Array.from({ length: count }, (_, index) => (index + 1) / (count + 1))
  const { rows: found } = await client.query<{ bound: string }>(
    `SELECT DISTINCT v, v::text AS bound FROM unnest((SELECT percentile_disc(ARRAY[${shares.join(',')}]::float8[])
      WITHIN GROUP (ORDER BY v) FROM (${samples.join(' UNION ALL ')}) AS sample WHERE v IS NOT NULL)) AS v
      WHERE v IS NOT NULL ORDER BY v`,
  )
  return found.map(({ bound }) => bound)
}

export const piecesOf = ({ parts }: LoadPlan): number => parts.reduce((sum, { pieces }) => sum + pieces, 0)

/** The rows of one part under some conditions. */
export interface Piece {
  oid: number
  where: string[]
}

export function pieceOf({ parts, blocksPerPiece, split }: LoadPlan, piece: number): Piece {
  let index = piece
  for (const { oid, pieces } of parts) {
    if (index >= pieces) {
      index -= pieces
      continue
    }
    const [isFirst, isLast] = [index === 0, index === pieces - 1]
    if (split) return { oid, where: rangeOf(split, index) }
    const [from, to] = [index * blocksPerPiece, (index + 1) * blocksPerPiece]
    const where = [...(isFirst ? [] : [`ctid >= '(${from},0)'`]), ...(isLast ? [] : [`ctid < '(${to},0)'`])]
    return { oid, where }
  }
  throw new Error(`there is no piece ${piece}`)
}

/** The first piece has the rows without a value too. */
function rangeOf({ column, bounds }: NonNullable<LoadPlan['split']>, index: number): string[] {
  const name = quoted(column)
  const [from, to] = [bounds[index - 1], bounds[index]]
  if (from === undefined) return to === undefined ? [] : [`(${name} < ${literal(to)} OR ${name} IS NULL)`]
  return [`${name} >= ${literal(from)}`, ...(to === undefined ? [] : [`${name} < ${literal(to)}`])]
}
