import type { ChangesSection, ChangesSpool } from '../source.ts'
import { type FollowedTable, placesOf } from './followed-table.ts'
import { type Line, startLine } from './line.ts'
import { type Change, isNull, isUnchanged, type Tuple } from './pgoutput.ts'
import { createTableBatch, type TableBatch } from './table-batch.ts'
import { arrayField, escapeField, nullField } from './texts.ts'

/** The changes of a batch as lines of its steps. */
export interface ChangeWriter {
  readonly spool: ChangesSpool
  rows: number
  /** Of the messages that were written. */
  sourceBytes: number
  batchOf(table: FollowedTable): TableBatch
  write(table: FollowedTable, change: Change, message: Buffer, tuples: Tuples): void
  tables(): Iterable<[FollowedTable, TableBatch]>
}

export interface Tuples {
  before: Tuple
  after: Tuple
  lsn: bigint
  /** Counts the changes of the transaction: rows of one WAL record have the same LSN. */
  ordinal: number
}

const emptyArray = Buffer.from('[]')

export function createChangeWriter(spool: ChangesSpool): ChangeWriter {
  const tables = new Map<FollowedTable, TableBatch>()
  const writer: ChangeWriter = {
    ...{ spool, rows: 0, sourceBytes: 0 },
    tables: () => tables,
    batchOf(table) {
      const known = tables.get(table)
      if (known) return known
      const made = createTableBatch(table.target, table.state, spool)
      tables.set(table, made)
      return made
    },
    write(table, change, message, tuples) {
      writer.rows += 1
      const batch = writer.batchOf(table)
      if (table.state.key.length === 0) writeUnkeyed(table, batch, change, message, tuples)
      else writeKeyed(table, batch, change, message, tuples)
    },
  }
  return writer
}

function writeUnkeyed(
  table: FollowedTable,
  batch: TableBatch,
  { kind, oid, old }: Change,
  message: Buffer,
  { before, after, lsn, ordinal }: Tuples,
): void {
  const places = placesOf(table, oid)
  if (kind !== 'insert') {
    writeRow(table, places, batch.removed(), message, before, null).finish(lsn, true)
  }
  if (kind === 'delete') return
  const id = `${lsn.toString(16).padStart(16, '0')}-${ordinal}`
  const source = old === 'all' ? before : null
  writeRow(table, places, batch.rows(), message, after, source).finish(lsn, false, id)
}

function writeKeyed(
  table: FollowedTable,
  batch: TableBatch,
  { kind, oid, old }: Change,
  message: Buffer,
  { before, after, lsn }: Tuples,
): void {
  const places = placesOf(table, oid)
  const { order } = table
  if (kind === 'delete') {
    if (batch.hasPartial) batch.replaced(keyOf(table, places, message, before))
    writeRow(table, places, batch.rows(), message, before, null).finish(lsn, true)
    return
  }
  const source = old === 'all' ? before : null
  const isMoved =
    old !== 'none' && order.some((column) => !sameField(message, places[column] ?? -1, before, after))
  const isWhole = kind === 'insert' || !hasUnchanged(table, places, after, source)
  const moveTo = isWhole ? () => batch.rows() : () => batch.late()
  if (isMoved) {
    if (batch.hasPartial && isWhole) batch.replaced(keyOf(table, places, message, before))
  }
  if (isWhole) {
    if (batch.hasPartial) batch.replaced(keyOf(table, places, message, after))
    writeRow(table, places, batch.rows(), message, after, source).finish(lsn, false)
  } else {
    const from = isMoved ? before : after
    batch.partial(keyOf(table, places, message, after), keyOf(table, places, message, from), {
      fields: table.state.columns.map((column, index) =>
        fieldOf(column.isArray, message, places[index] ?? -1, after, source),
      ),
      version: lsn,
      lookup: table.key.map((index) => fieldOf(false, message, places[index] ?? -1, from, null) ?? nullField),
    })
  }
  if (!isMoved) return
  writeRow(table, places, moveTo(), message, before, null).finish(lsn, true)
}

/** Begins a line with the fields of a row. */
function writeRow(
  { state: { columns }, mayNeedEscapes }: FollowedTable,
  places: Int32Array,
  section: ChangesSection,
  message: Buffer,
  tuple: Tuple,
  source: Tuple | null,
): Line {
  const line = startLine(section)
  for (let index = 0; index < columns.length; index++) {
    const place = places[index] ?? -1
    const isArray = columns[index]?.isArray ?? false
    let from = tuple
    let start = place < 0 ? isNull : (tuple.starts[place] ?? isNull)
    if (start === isUnchanged && source) {
      from = source
      start = source.starts[place] ?? isNull
    }
    if (start < 0) line.plain(isArray ? emptyArray : nullField)
    else {
      const stop = from.ends[place] ?? start
      if (isArray) line.plain(arrayField(message.toString('utf8', start, stop)))
      else line.field(message, start, stop, mayNeedEscapes[index] ?? true)
    }
  }
  return line
}

/** null = the value did not change and is not told. */
function fieldOf(
  isArray: boolean,
  message: Buffer,
  place: number,
  tuple: Tuple,
  source: Tuple | null,
): Buffer | null {
  const start = place < 0 ? isNull : (tuple.starts[place] ?? isNull)
  if (start === isUnchanged) return source ? fieldOf(isArray, message, place, source, null) : null
  if (start === isNull) return isArray ? emptyArray : nullField
  const stop = tuple.ends[place] ?? start
  return isArray ? arrayField(message.toString('utf8', start, stop)) : escapeField(message, start, stop)
}

function hasUnchanged(table: FollowedTable, places: Int32Array, tuple: Tuple, source: Tuple | null): boolean {
  if (source) return false
  for (let index = 0; index < table.state.columns.length; index++) {
    const place = places[index] ?? -1
    if (place >= 0 && tuple.starts[place] === isUnchanged) return true
  }
  return false
}

function keyOf({ key }: FollowedTable, places: Int32Array, message: Buffer, tuple: Tuple): string {
  const texts = key.map((index) => {
    const place = places[index] ?? -1
    return message.toString('latin1', tuple.starts[place], tuple.ends[place])
  })
  return texts.join('\0')
}

function sameField(message: Buffer, place: number, one: Tuple, other: Tuple): boolean {
  const [start, otherStart] = [one.starts[place] ?? isNull, other.starts[place] ?? isNull]
  if (otherStart === isUnchanged) return true
  if (start < 0 || otherStart < 0) return start === otherStart
  const [length, otherLength] = [(one.ends[place] ?? 0) - start, (other.ends[place] ?? 0) - otherStart]
  return (
    length === otherLength &&
    message.compare(message, otherStart, otherStart + length, start, start + length) === 0
  )
}
