import { writeColumns } from '../../../lib/clickhouse/column-list.ts'
import { quoteIdentifier, quoteString } from '../../../lib/clickhouse/identifiers.ts'
import type { ChangeColumn } from '../../changes.ts'
import { DestinationError } from '../../destination.ts'

/** The types that a table of a database pipe can have; a worker names no others. */
const types =
  /^(Bool|U?Int(16|32|64)|Float(32|64)|String|LowCardinality\(String\)|UUID|Date32|Time64\(6\)|DateTime64\(6, 'UTC'\)|Decimal\(\d{1,2}, \d{1,2}\))$/

export function columnType({ type, isArray, isNullable }: ChangeColumn): string {
  if (!types.test(type)) throw new DestinationError('bug', `${type} is no type of a column`)
  const inner = isArray && type === 'LowCardinality(String)' ? 'String' : type
  if (isArray) return `Array(${isNullable ? `Nullable(${inner})` : inner})`
  if (!isNullable) return inner
  return inner === 'LowCardinality(String)' ? 'LowCardinality(Nullable(String))' : `Nullable(${inner})`
}

/** How the fields of a line are read: `f0`, `f1`, …, and those that follow the columns. */
export function structureOf(columns: readonly ChangeColumn[], more: Record<string, string> = {}): string {
  const fields = columns.map((column, index) => ({ name: `f${index}`, type: readType(column) }))
  return writeColumns([...fields, ...Object.entries(more).map(([name, type]) => ({ name, type }))])
}

/** A field whose column takes no NULL is read as the type's default where it is NULL. */
function readType({ type, form, isArray, isNullable }: ChangeColumn): string {
  if (isArray) return 'Array(Nullable(String))'
  if (form !== 'plain') return 'Nullable(String)'
  const read = type === 'LowCardinality(String)' ? 'String' : type
  return isNullable ? `Nullable(${read})` : read
}

/** The value of a column, made from its field. */
export function columnValue(column: ChangeColumn, field: string): string {
  const { form, type, isArray, isNullable } = column
  if (isArray)
    return `CAST(arrayMap(x -> ${element(column, 'x')}, ${field}), ${quoteString(columnType(column))})`
  if (form === 'plain') return field
  return withoutNull(convert(column, field), type, isNullable)
}

function element(column: ChangeColumn, field: string): string {
  const { form, type, isNullable } = column
  const isText = type === 'String' || type === 'LowCardinality(String)'
  const plain = isText ? field : `CAST(${field}, ${quoteString(`Nullable(${type})`)})`
  return withoutNull(form === 'plain' ? plain : convert(column, field), isText ? 'String' : type, isNullable)
}

/** What rows have that were there before the column was added; '' = NULL or the type's default. */
export function defaultOf(column: ChangeColumn, missing: string | null): string {
  if (missing === null || column.isArray) return ''
  const text = quoteString(missing)
  if (column.form !== 'plain') return `DEFAULT ${columnValue(column, text)}`
  return `DEFAULT CAST(${text}, ${quoteString(columnType(column))})`
}

const withoutNull = (value: string, type: string, isNullable: boolean): string =>
  isNullable ? value : `ifNull(${value}, defaultValueOfTypeName(${quoteString(type)}))`

const [firstDay, lastDay] = ["'1900-01-01'", "'2299-12-31'"]
const [firstTime, lastTime] = ["'1900-01-01 00:00:00'", "'2299-12-31 23:59:59.999999'"]

/** Times beyond the engine's range become its first or last one; numbers that no Decimal can be become NULL. */
function convert({ form, type }: ChangeColumn, field: string): string {
  if (form === 'bytes') return `unhex(substring(${field}, 3))`
  if (form === 'decimal') return decimal(type, field)
  // The engine's reader of lines fails on a time that its buffer has in two parts.
  if (form === 'time') return `CAST(${field}, 'Nullable(Time64(6))')`
  if (form === 'date') {
    const day = `multiIf(endsWith(${field}, 'BC'), ${firstDay}, length(${field}) > 10, ${lastDay},
      ${field} < ${firstDay}, ${firstDay}, ${field} > ${lastDay}, ${lastDay}, ${field})`
    return `CAST(${day}, 'Nullable(Date32)')`
  }
  const time = `multiIf(endsWith(${field}, 'BC') OR startsWith(${field}, '-'), ${firstTime},
    substring(${field}, 5, 1) != '-', ${lastTime}, ${field} < '1900', ${firstTime}, ${field} >= '2300', ${lastTime},
    replaceOne(${field}, '+00', ''))`
  return `CAST(${time}, 'Nullable(DateTime64(6, ''UTC''))')`
}

function decimal(type: string, field: string): string {
  const [precision = 0, scale = 0] = (type.match(/\d+/g) ?? []).map(Number)
  const bits = precision <= 9 ? 32 : precision <= 18 ? 64 : precision <= 38 ? 128 : 256
  return `CAST(toDecimal${bits}OrNull(${field}, ${scale}), ${quoteString(`Nullable(${type})`)})`
}

export const listOf = (names: readonly string[]): string => names.map(quoteIdentifier).join(', ')

/** How lines are read: as Postgres writes texts. */
export const lineSettings: Readonly<Record<string, string>> = {
  input_format_null_as_default: '1',
  insert_null_as_default: '0',
  input_format_tsv_empty_as_default: '0',
  input_format_tsv_allow_variable_number_of_columns: '0',
  input_format_tsv_detect_header: '0',
  input_format_parallel_parsing: '0',
  input_format_allow_errors_num: '0',
  input_format_allow_errors_ratio: '0',
  max_insert_block_size: '1000000000',
  max_insert_block_size_bytes: '0',
}
