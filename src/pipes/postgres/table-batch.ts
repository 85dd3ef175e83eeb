import type { ChangeStep } from '../changes.ts'
import type { ChangesSection, ChangesSpool } from '../source.ts'
import type { SourceColumn } from './types.ts'

/** A row whose source did not repeat some values. */
export interface PartialRow {
  /** Fields as they stand in a line; null = the value is missing. */
  fields: (Buffer | null)[]
  version: bigint
  /** The key under which the target has the missing values. */
  lookup: Buffer[]
}

/**
 * The changes of one table in one batch, in an order in which the engine can take many at once: whole rows, then rows
 * that are filled up from the current ones, then tombstones of keys that such rows had, then removed rows.
 */
export interface TableBatch {
  /** For whole rows and tombstones. */
  rows(): ChangesSection
  /** For tombstones of keys under which rows are looked up. */
  late(): ChangesSection
  removed(): ChangesSection
  /** Whether rows must be told about their keys. */
  readonly hasPartial: boolean
  /** A whole row or tombstone with this key comes: it replaces a partial one. */
  replaced(key: string): void
  /** A partial row; `oldKey` is the key that the row had before. */
  partial(key: string, oldKey: string, row: PartialRow): void
  /** Ends the current steps; later rows come after them. */
  turn(): void
  /** A step between rows. */
  push(step: ChangeStep<ChangesSection>): void
  finish(): ChangeStep<ChangesSection>[]
}

const maxPartialBytes = 16 * 1024 * 1024
const [tab, newline] = [Buffer.from('\t'), Buffer.from('\n')]

export function createTableBatch(
  target: string,
  table: { columns: SourceColumn[]; key: string[] },
  spool: ChangesSpool,
): TableBatch {
  const steps: ChangeStep<ChangesSection>[] = []
  let [rows, late, removed]: (ChangesSection | null)[] = [null, null, null]
  let partial = new Map<string, PartialRow & { oldKey: string }>()
  /** Keys of earlier rows under which partial ones are looked up. */
  let lookups = new Set<string>()
  let partialBytes = 0

  function turn(): void {
    const { columns, key } = table
    const about = { target, columns: [...columns], key }
    const insert = (data: ChangesSection) => ({
      ...about,
      ...{ do: 'insert' as const, isSide: false, isLoad: false, data },
    })
    if (rows) steps.push(insert(rows))
    if (partial.size > 0) steps.push({ ...about, do: 'fill', data: writePartial() })
    if (late) steps.push(insert(late))
    if (removed) steps.push({ ...about, do: 'remove', data: removed })
    rows = late = removed = null
    partial = new Map()
    lookups = new Set()
    partialBytes = 0
  }

  function writePartial(): ChangesSection {
    const section = spool.section()
    const put = (bytes: Buffer) => section.write(bytes, 0, bytes.length)
    for (const { fields, version, lookup } of partial.values()) {
      const missing = fields.flatMap((field, index) => (field === null ? [index] : []))
      for (const [index, field] of fields.entries()) {
        put(field ?? blank(table.columns[index]))
        put(tab)
      }
      put(Buffer.from(`${version}\t0\t[${missing.join(',')}]`))
      for (const field of lookup) {
        put(tab)
        put(field)
      }
      put(newline)
      section.rows += 1
    }
    return section
  }

  return {
    rows: () => (rows ??= spool.section()),
    late: () => (late ??= spool.section()),
    removed: () => (removed ??= spool.section()),
    get hasPartial() {
      return partial.size > 0
    },
    replaced(key) {
      // The current row under this key would then be another one.
      if (lookups.has(key)) turn()
      else partial.delete(key)
    },
    partial(key, oldKey, row) {
      if (lookups.has(key)) turn()
      const before = partial.get(oldKey)
      const fields = row.fields.map((field, index) => field ?? before?.fields[index] ?? null)
      const lookup = before?.lookup ?? row.lookup
      const lookupKey = before?.oldKey ?? oldKey
      if (before) partial.delete(oldKey)
      partial.set(key, { fields, version: row.version, lookup, oldKey: lookupKey })
      if (lookupKey !== key) lookups.add(lookupKey)
      for (const field of row.fields) partialBytes += field?.length ?? 0
      if (partialBytes > maxPartialBytes) turn()
    },
    turn,
    push(step) {
      turn()
      steps.push(step)
    },
    finish() {
      turn()
      return steps
    },
  }
}

/** Anything that the engine can read: the value is not used. */
const blank = (column: SourceColumn | undefined): Buffer => Buffer.from(column?.isArray ? '[]' : '\\N')
