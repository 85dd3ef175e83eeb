import type { Client } from 'pg'
import type { ChangesSection, ChangesSpool, Lane } from '../source.ts'
import { quoted } from './connection.ts'
import { type Piece, pieceOf, piecesOf } from './load-plan.ts'
import { openCopy } from './raw-session.ts'
import type { TableState } from './table-state.ts'
import { arrayField, unescapeField } from './texts.ts'

/** A batch is one block of the engine: large, since every block costs statements, syncs and merges. */
const maxBatchBytes = 64 * 1024 * 1024

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
  /** A snapshot since which changed rows are read again, wherever they lie; null = there was none. */
  since: string | null
  /** A batch with so many bytes ends with its piece. */
  enoughBytes: number
  signal: AbortSignal
}

/** Reads the pieces of one reader that are not in the warehouse yet. */
export async function loadPieces(options: LoadOptions): Promise<void> {
  const { lane, table, client, reader, readers, since, enoughBytes, signal } = options
  const before = lane.position === null ? null : (JSON.parse(lane.position) as { load: number; next: number })
  const total = piecesOf(table.plan)
  const batches = createBatches(options)
  // Compiling the statement of a piece costs more than it saves, and the readers are parallel already.
  await client.query('SET jit = off; SET max_parallel_workers_per_gather = 0')
  try {
    let piece = before?.load === table.load ? before.next : reader
    if (since !== null) {
      const where = [isSince(since)]
      for (const { oid } of table.plan.parts) await readRows(options, batches, { oid, where }, piece)
      await batches.cut(piece)
    }
    for (; piece < total; piece += readers) {
      signal.throwIfAborted()
      await readRows(options, batches, pieceOf(table.plan, piece), piece)
      batches.pieces += 1
      if (batches.bytes >= enoughBytes) await batches.cut(piece + readers)
    }
    if (batches.pieces > 0) await batches.cut(piece)
    await batches.settled()
  } finally {
    await batches.close()
  }
}

/**
 * A row that an update moved from a piece that was not read yet into one that was is in no piece of a load that goes on
 * with a later snapshot. The stream tells its new values, but not those that are stored elsewhere and did not change.
 */
function isSince(snapshot: string): string {
  const [xmin = '0'] = snapshot.split(':')
  const low = BigInt(xmin) & 0xffff_ffffn
  return `((xmin::text::int8 - ${low}) & 4294967295) < 2147483648`
}

/** Reads rows to their end. A batch that becomes too large on the way is cut, and the piece `next` is not read yet. */
async function readRows(options: LoadOptions, batches: Batches, rows: Piece, next: number): Promise<void> {
  const { table, client } = options
  let failure: Error | null = null
  const convert = table.columns.some(({ isArray }) => isArray)
    ? createConverter(table.columns.map((each) => each.isArray))
    : null
  const raw = openCopy(client, copyStatement(options, rows), (buffer, start, end, count) => {
    if (convert) convert(buffer, start, end, batches.section)
    else batches.section.write(buffer, start, end)
    batches.section.rows += count
    if (batches.bytes < maxBatchBytes || failure) return
    raw.pause()
    void batches.cut(next).then(raw.resume, (error: Error) => {
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

function copyStatement({ table, nameOf }: LoadOptions, { oid, where }: Piece): string {
  const { columns, key } = table
  const list = [
    ...columns.map(({ name }) => quoted(name)),
    ...(key.length === 0 ? [`tableoid::text || ctid::text`] : []),
  ]
  const condition = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`
  return `COPY (SELECT ${list.join(', ')} FROM ONLY ${nameOf(oid)}${condition}) TO STDOUT`
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
