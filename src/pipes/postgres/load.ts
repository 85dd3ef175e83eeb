import type { Client } from 'pg'
import type { PostgresSettings } from '../../domain/pipe/types.ts'
import type { ChangesSection, Lane } from '../source.ts'
import { quoted } from './connection.ts'
import { openRaw } from './raw-session.ts'
import type { LoadPlan, TableState } from './table-state.ts'
import { arrayField, nullField, unescapeField } from './texts.ts'

const blockBytes = 8192
/** A batch is one block of the engine. */
const maxBatchBytes = 24 * 1024 * 1024
/** Pieces of the heap, so that few batches are cut for their size. */
const maxPieceBlocks = 2048

/** Cuts a table into pieces. The last piece of each part has no end, since parts grow. */
export async function planLoad(
  client: Client,
  parts: readonly number[],
  { snapshotNumRowsPerPartition }: Pick<PostgresSettings, 'snapshotNumRowsPerPartition'>,
  hasRanges: boolean,
): Promise<LoadPlan> {
  const { rows: sizes } = await client.query<{ oid: number; bytes: string; rows: number }>(
    `SELECT oid, pg_relation_size(oid) AS bytes, reltuples::float8 AS rows FROM pg_class WHERE oid = ANY($1) ORDER BY oid`,
    [parts],
  )
  const blocksOf = (bytes: string) => Math.ceil(Number(bytes) / blockBytes)
  const blocks = sizes.reduce((sum, { bytes }) => sum + blocksOf(bytes), 0)
  // A table that was never analyzed: some 40 rows in a block.
  const rows = sizes.reduce((sum, each) => sum + (each.rows >= 0 ? each.rows : 40 * blocksOf(each.bytes)), 0)
  const pieces = Math.max(1, rows / snapshotNumRowsPerPartition)
  const blocksPerPiece = Math.max(1, Math.min(maxPieceBlocks, Math.ceil(blocks / pieces)))
  return {
    ...{ blocksPerPiece, rows: Math.round(rows) },
    parts: sizes.map(({ oid, bytes }) => ({
      oid,
      pieces: hasRanges ? Math.max(1, Math.ceil(blocksOf(bytes) / blocksPerPiece)) : 1,
    })),
  }
}

export const piecesOf = ({ parts }: LoadPlan): number => parts.reduce((sum, { pieces }) => sum + pieces, 0)

export interface LoadOptions {
  target: string
  table: TableState
  client: Client
  lane: Lane
  /** This reader takes every n-th piece from its number on. */
  reader: number
  readers: number
  /** Names of parts, with their schemas, quoted. */
  nameOf(oid: number): string
  loaded(rows: number, pieces: number): void
  signal: AbortSignal
}

/** Reads the pieces of one reader that are not in the warehouse yet. */
export async function loadPieces(options: LoadOptions): Promise<void> {
  const { lane, table, reader, readers, signal } = options
  const before = lane.position === null ? null : (JSON.parse(lane.position) as { load: number; next: number })
  const total = piecesOf(table.plan)
  for (let piece = before?.load === table.load ? before.next : reader; piece < total; piece += readers) {
    signal.throwIfAborted()
    await loadPiece(options, piece)
  }
}

async function loadPiece(options: LoadOptions, piece: number): Promise<void> {
  const { target, table, client, lane, readers, loaded } = options
  const { columns, key, load, isSide } = table
  const at = (next: number) => JSON.stringify({ load, next })
  let spool = lane.changes()
  let section = spool.section()
  let failure: Error | null = null
  const convert = columns.some(({ isArray }) => isArray)
    ? createConverter(columns.map((each) => each.isArray))
    : null
  const raw = openRaw(
    client,
    copyStatement(options, piece),
    (buffer, start, end) => {
      if (convert) convert(buffer, start, end, section)
      else section.write(buffer, start, end)
      section.rows += 1
    },
    () => {
      if (spool.bytes < maxBatchBytes) return
      raw.pause()
      void commit(piece).then(raw.resume, (error: Error) => {
        failure = error
        client.end().catch(() => undefined)
        raw.resume()
      })
    },
  )

  /** A piece counts as read when all of it is in the warehouse. */
  async function commit(next: number): Promise<void> {
    const full = { spool, section }
    spool = lane.changes()
    section = spool.section()
    const step = {
      ...{ do: 'insert' as const, target, isSide, isLoad: true, columns, key, data: full.section },
    }
    const { rows } = full.section
    const { bytes } = full.spool
    await lane.commit({
      ...{ first: lane.position ?? at(-1), last: at(next), sourceBytes: bytes },
      content: { spool: full.spool, steps: rows === 0 ? [] : [step] },
    })
    loaded(rows, next === piece ? 0 : 1)
  }

  try {
    await raw.ended
    if (failure) throw failure
    await commit(piece + readers)
  } catch (error) {
    await spool.discard()
    throw failure ?? error
  }
}

function copyStatement({ table, nameOf }: LoadOptions, piece: number): string {
  const { plan, columns, key } = table
  let index = piece
  for (const { oid, pieces } of plan.parts) {
    if (index >= pieces) {
      index -= pieces
      continue
    }
    const [from, to] = [index * plan.blocksPerPiece, (index + 1) * plan.blocksPerPiece]
    const where = [
      ...(index > 0 ? [`ctid >= '(${from},0)'`] : []),
      ...(index < pieces - 1 ? [`ctid < '(${to},0)'`] : []),
    ]
    const list = [
      ...columns.map(({ name }) => quoted(name)),
      ...(key.length === 0 ? [`tableoid::text || ctid::text`] : []),
    ]
    const condition = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`
    return `COPY (SELECT ${list.join(', ')} FROM ONLY ${nameOf(oid)}${condition}) TO STDOUT`
  }
  throw new Error(`there is no piece ${piece}`)
}

/** Rewrites the fields that are arrays. */
function createConverter(isArray: readonly boolean[]) {
  const separator = Buffer.from('\t')
  const end = Buffer.from('\n')
  return (buffer: Buffer, start: number, stop: number, section: ChangesSection): void => {
    const fields = buffer.toString('utf8', start, stop - 1).split('\t')
    for (const [index, field] of fields.entries()) {
      if (index > 0) section.write(separator, 0, 1)
      const bytes = !isArray[index]
        ? Buffer.from(field)
        : field === '\\N'
          ? nullField
          : arrayField(unescapeField(field))
      section.write(bytes, 0, bytes.length)
    }
    section.write(end, 0, 1)
  }
}
