import type { ChangesSection, ChangesSpool } from '../source.ts'
import { type FollowedTable, placesOf } from './followed-table.ts'
import { type Change, isNull, isUnchanged, type Tuple } from './pgoutput.ts'
import { createTableBatch, type TableBatch } from './table-batch.ts'
import { arrayField, escapeField, isClean, nullField } from './texts.ts'

/** The changes of a batch as lines of its steps. */
export interface ChangeWriter {
  readonly spool: ChangesSpool
  rows: number
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

const [tab, newline, emptyArray] = [Buffer.from('\t'), Buffer.from('\n'), Buffer.from('[]')]

export function createChangeWriter(spool: ChangesSpool): ChangeWriter {
  const tables = new Map<FollowedTable, TableBatch>()
  const writer: ChangeWriter = {
    ...{ spool, rows: 0 },
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
    const section = batch.removed()
    writeRow(table, places, section, message, before, null)
    end(section, `${lsn}\t1`)
  }
  if (kind === 'delete') return
  const section = batch.rows()
  writeRow(table, places, section, message, after, old === 'all' ? before : null)
  end(section, `${lsn}\t0\t${lsn.toString(16).padStart(16, '0')}-${ordinal}`)
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
    const section = batch.rows()
    writeRow(table, places, section, message, before, null)
    end(section, `${lsn}\t1`)
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
    const section = batch.rows()
    writeRow(table, places, section, message, after, source)
    end(section, `${lsn}\t0`)
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
  const section = moveTo()
  writeRow(table, places, section, message, before, null)
  end(section, `${lsn}\t1`)
}

function end(section: ChangesSection, rest: string): void {
  const bytes = Buffer.from(rest, 'latin1')
  section.write(bytes, 0, bytes.length)
  section.write(newline, 0, 1)
  section.rows += 1
}

/** Fields, each with a tab after it. */
function writeRow(
  { state: { columns } }: FollowedTable,
  places: Int32Array,
  section: ChangesSection,
  message: Buffer,
  tuple: Tuple,
  source: Tuple | null,
): void {
  for (let index = 0; index < columns.length; index++) {
    const place = places[index] ?? -1
    const isArray = columns[index]?.isArray ?? false
    let from = tuple
    let start = place < 0 ? isNull : (tuple.starts[place] ?? isNull)
    if (start === isUnchanged && source) {
      from = source
      start = source.starts[place] ?? isNull
    }
    if (start < 0) section.write(isArray ? emptyArray : nullField, 0, 2)
    else {
      const stop = from.ends[place] ?? start
      if (!isArray && isClean(message, start, stop)) section.write(message, start, stop)
      else {
        const text = isArray
          ? arrayField(message.toString('utf8', start, stop))
          : escapeField(message, start, stop)
        section.write(text, 0, text.length)
      }
    }
    section.write(tab, 0, 1)
  }
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
