import type { Client } from 'pg'
import type { PostgresSettings } from '../../domain/pipe/types.ts'
import type { ChangesSection, ChangesSpool, Lane } from '../source.ts'
import { quoted } from './connection.ts'
import { openCopy } from './raw-session.ts'
import type { LoadPlan, TableState } from './table-state.ts'
import { arrayField, unescapeField } from './texts.ts'

const blockBytes = 8192
/** A batch is one block of the engine: large, since every block costs statements, syncs and merges. */
const maxBatchBytes = 64 * 1024 * 1024
/** A batch with so many bytes ends with its piece. */
const enoughBatchBytes = 32 * 1024 * 1024
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
  const { lane, table, client, reader, readers, signal } = options
  const before = lane.position === null ? null : (JSON.parse(lane.position) as { load: number; next: number })
  const total = piecesOf(table.plan)
  const batches = createBatches(options)
  // Compiling the statement of a piece costs more than it saves, and the readers are parallel already.
  await client.query('SET jit = off; SET max_parallel_workers_per_gather = 0')
  try {
    let piece = before?.load === table.load ? before.next : reader
    for (; piece < total; piece += readers) {
      signal.throwIfAborted()
      await readPiece(options, batches, piece)
      batches.pieces += 1
      if (batches.bytes >= enoughBatchBytes) await batches.cut(piece + readers)
    }
    if (batches.pieces > 0) await batches.cut(piece)
    await batches.settled()
  } finally {
    await batches.close()
  }
}

/** Reads a piece to its end. A batch that becomes too large on the way is cut, and the piece counts with its end. */
async function readPiece(options: LoadOptions, batches: Batches, piece: number): Promise<void> {
  const { table, client } = options
  let failure: Error | null = null
  const convert = table.columns.some(({ isArray }) => isArray)
    ? createConverter(table.columns.map((each) => each.isArray))
    : null
  const raw = openCopy(client, copyStatement(options, piece), (buffer, start, end, rows) => {
    if (convert) convert(buffer, start, end, batches.section)
    else batches.section.write(buffer, start, end)
    batches.section.rows += rows
    if (batches.bytes < maxBatchBytes || failure) return
    raw.pause()
    void batches.cut(piece).then(raw.resume, (error: Error) => {
      failure = error
      client.end().catch(() => undefined)
      raw.resume()
    })
  })
  try {
    await raw.ended
  } catch (error) {
    throw failure ?? error
  }
  if (failure) throw failure
}

interface Batches {
  readonly section: ChangesSection
  readonly bytes: number
  /** Those that ended in this batch. */
  pieces: number
  /** Hands the batch over when the one before is in the warehouse; the next one fills meanwhile. */
  cut(next: number): Promise<void>
  /** Resolves when the last batch is in the warehouse. */
  settled(): Promise<void>
  /** Forgets what was not handed over. */
  close(): Promise<void>
}

function createBatches({ lane, target, table, loaded }: LoadOptions): Batches {
  const { columns, key, load, isSide } = table
  const at = (next: number) => JSON.stringify({ load, next })
  let spool = lane.changes()
  let inFlight: Promise<void> = Promise.resolve()

  async function commit(
    full: ChangesSpool,
    data: ChangesSection,
    next: number,
    pieces: number,
  ): Promise<void> {
    const step = { do: 'insert' as const, target, isSide, isLoad: true, columns, key, data }
    await lane.commit({
      ...{ first: lane.position ?? at(-1), last: at(next), sourceBytes: full.bytes },
      content: { spool: full, steps: data.rows === 0 ? [] : [step] },
    })
    loaded(data.rows, pieces)
  }

  const batches = {
    ...{ section: spool.section(), pieces: 0 },
    get bytes() {
      return spool.bytes
    },
    async cut(next: number) {
      await inFlight
      inFlight = commit(spool, batches.section, next, batches.pieces)
      inFlight.catch(() => undefined)
      spool = lane.changes()
      batches.section = spool.section()
      batches.pieces = 0
    },
    settled: () => inFlight,
    async close() {
      await inFlight.catch(() => undefined)
      await spool.discard()
    },
  }
  return batches
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

/** Rewrites the fields that are arrays, in lines. */
function createConverter(isArray: readonly boolean[]) {
  const newline = 0x0a
  const tab = 0x09
  return (buffer: Buffer, start: number, stop: number, section: ChangesSection): void => {
    // What stands from here on to before an array stays as it is.
    let same = start
    let [column, from] = [0, start]
    for (let at = start; at < stop; at++) {
      const byte = buffer[at]
      if (byte !== tab && byte !== newline) continue
      if (isArray[column] && buffer[from] !== backslash) {
        section.write(buffer, same, from)
        const bytes = arrayField(unescapeField(buffer.toString('utf8', from, at)))
        section.write(bytes, 0, bytes.length)
        same = at
      }
      column = byte === newline ? 0 : column + 1
      from = at + 1
    }
    section.write(buffer, same, stop)
  }
}

const backslash = 0x5c
