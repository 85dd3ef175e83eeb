/**
 * What a batch of a database does, step by step. Each step can be repeated after a crash. A step names the target
 * table of a mapping and never a statement: the control process makes those. `Data` is where the rows of a step lie.
 *
 * - `create`: the table of a load that begins. `mark` tells this load from all others. Rows of others that are in the table
 *   are refused where their versions are above `upTo`; absent = all rows.
 * - `add`: columns of the live table, with what rows have that are there already.
 * - `insert`: rows. Those of a load have only the columns; others end with version and deleted flag.
 * - `fill`: changed rows some of whose values the source did not repeat; they are taken from the current row.
 * - `remove`: rows of a table without a key that are gone, by their values.
 * - `empty`: removes the rows that are older than a version.
 * - `swap`: the loaded side table takes the place of the live one.
 */
export type ChangeStep<Data = StepRows> =
  | (TableStep & { do: 'create'; isSide: boolean; mark: string; upTo?: string })
  | { do: 'add'; target: string; columns: (ChangeColumn & { missing: string | null })[] }
  | (RowStep<Data> & { do: 'insert'; isSide: boolean; isLoad: boolean })
  | (RowStep<Data> & { do: 'fill' })
  | (RowStep<Data> & { do: 'remove' })
  | { do: 'empty'; target: string; isSide: boolean; before: string }
  | { do: 'swap'; target: string; mark: string }

interface TableStep {
  target: string
  columns: ChangeColumn[]
  /** Columns that identify a row; none = the rows have an id of their own, as the last field. */
  key: string[]
}

/** Rows as lines of tab-separated texts, as Postgres writes values. */
interface RowStep<Data> extends TableStep {
  data: Data
}

/** A column of a target table, and how the engine reads its texts. */
export interface ChangeColumn {
  name: string
  /** The type of values, without NULL and without Array. */
  type: string
  form: ChangeForm
  isArray: boolean
  isNullable: boolean
}

/** `plain` texts are read as the type; the others need an expression. */
export type ChangeForm = 'plain' | 'decimal' | 'bytes' | 'date' | 'time' | 'timestamp'

/** The rows of a step in the file of its batch. */
export interface StepRows {
  rows: number
  /** Pairs of begin and end. */
  ranges: [number, number][]
}

/** The columns that the product adds to tables. */
export const versionColumn = '_granary_version'
export const deletedColumn = '_granary_is_deleted'
export const rowIdColumn = '_granary_row_id'

export const sideTable = (target: string): string => `${target}_resync`
