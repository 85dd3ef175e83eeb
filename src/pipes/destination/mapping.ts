import type { FieldMapping } from '../../domain/pipe/types.ts'
import { quoteIdentifier, quoteString } from '../../lib/clickhouse/identifiers.ts'
import { nullableType, type TargetColumn } from './types.ts'

/** How the engine reads records of a format as rows of the table. */
export interface Reading {
  /** The columns that the records are read as: `a Int32, n Tuple(p String)`. */
  structure: string
  /** One over the structure for each of `columns`. */
  expressions: readonly string[]
  /** The same as the list of a SELECT. */
  select: string
  /** The columns of the table that are filled. */
  columns: readonly TargetColumn[]
}

interface Field {
  path: readonly string[]
  column: TargetColumn
}

/**
 * Each field is read as its column's type. A field that a record does not have, or that is null, becomes the column's
 * DEFAULT, or NULL where the column is Nullable, or the type's zero value.
 */
export function planReading({
  format,
  mappings,
  columns,
  virtual = new Set(),
}: {
  format: string
  mappings: readonly FieldMapping[]
  columns: readonly TargetColumn[]
  /** Fields that the engine itself adds to what it reads. */
  virtual?: ReadonlySet<string>
}): Reading {
  const fields = mappings.map(({ sourceField, destinationField }) => {
    const column = columns.find(({ name }) => name === destinationField)
    if (column === undefined) throw new Error(`the column ${destinationField} is not known`)
    return { path: pathOf(sourceField, format, virtual), column }
  })
  const read = fields.filter(({ path }) => !virtual.has(path[0] ?? ''))
  const roots = new Map(isPositional(format) ? positions(read) : [])
  for (const field of read) {
    const [root = ''] = field.path
    const found = roots.get(root)
    roots.set(root, [...(found ?? []), field])
  }
  const shapes = new Map([...roots].map(([root, users]) => [root, shapeOf(users, format)]))
  const expressions = fields.map(({ path, column }) => {
    const [root = ''] = path
    return shapes.get(root)?.select(path, column) ?? quoteIdentifier(root)
  })
  return {
    structure: [...shapes].map(([root, { type }]) => `${quoteIdentifier(root)} ${type}`).join(', '),
    ...{ expressions, select: expressions.join(', ') },
    columns: fields.map(({ column }) => column),
  }
}

/** A column of the structure, and how a column of the table is made from it. */
interface Shape {
  type: string
  select(path: readonly string[], column: TargetColumn): string
}

function shapeOf(users: readonly Field[], format: string): Shape {
  if (format === 'JSONAsObject') return { type: 'JSON', select: selectFromJson }
  const [first] = users
  // A column of a file that no mapping names.
  if (first === undefined) return { type: 'String', select: ([root = '']) => quoteIdentifier(root) }
  const types = new Set(users.map(({ column }) => readType(column)))
  if (users.every(({ path }) => path.length === 1)) {
    const [type = 'String'] = types
    if (types.size === 1) return { type, select: ([root = '']) => quoteIdentifier(root) }
    return { type: 'Nullable(String)', select: ([root = ''], column) => cast(quoteIdentifier(root), column) }
  }
  const tree = treeOf(users)
  if (tree !== null) return { type: tree, select: selectElement }
  // The same object is used as a whole and in parts, or in parts of several types.
  return {
    type: 'Nullable(String)',
    select: ([root = '', ...rest], column) => {
      const text = quoteIdentifier(root)
      if (rest.length === 0) return cast(text, column)
      const type = nullableType(column.type) ?? column.type
      return `JSONExtract(${[text, ...rest.map(quoteString), quoteString(type)].join(', ')})`
    },
  }
}

/** Only with NULL the engine can tell a missing field, which gets the column's DEFAULT, from a zero. */
const readType = ({ type, hasDefault }: TargetColumn): string =>
  hasDefault ? (nullableType(type) ?? type) : type

const cast = (text: string, { type }: TargetColumn): string =>
  `CAST(${text}, ${quoteString(nullableType(type) ?? type)})`

const selectElement = ([root = '', ...rest]: readonly string[]): string =>
  rest.reduce((value, name) => `tupleElement(${value}, ${quoteString(name)})`, quoteIdentifier(root))

function selectFromJson(path: readonly string[], column: TargetColumn): string {
  return cast(path.map(quoteIdentifier).join('.'), column)
}

/** `Tuple(p Tuple(q String))` for the fields below a root; null = one of them is a part of another. */
function treeOf(users: readonly Field[]): string | null {
  const children = new Map<string, Field[]>()
  for (const { path, column } of users) {
    const [, name, ...rest] = path
    if (name === undefined) return null
    children.set(name, [...(children.get(name) ?? []), { path: [name, ...rest], column }])
  }
  const elements: string[] = []
  for (const [name, fields] of children) {
    const leaves = new Set(
      fields.filter(({ path }) => path.length === 1).map(({ column }) => readType(column)),
    )
    const [leaf] = leaves
    if (leaves.size > 1 || (leaf !== undefined && fields.some(({ path }) => path.length > 1))) return null
    const type = leaf ?? treeOf(fields)
    if (type === null) return null
    elements.push(`${quoteIdentifier(name)} ${type}`)
  }
  return `Tuple(${elements.join(', ')})`
}

const hasObjects = (format: string): boolean => /^(JSON|Parquet|Arrow|ORC)/.test(format)

/** In a format without objects, or with names of its own for nested fields, a dot is a part of the name. */
function pathOf(field: string, format: string, virtual: ReadonlySet<string>): string[] {
  if (virtual.has(field)) return [field]
  if (format === 'JSONAsObject')
    return field === 'json' || field.startsWith('json.') ? field.split('.') : ['json', ...field.split('.')]
  return hasObjects(format) ? field.split('.') : [field]
}

/** The formats without names: the fields of a line are `c1`, `c2`, … */
const isPositional = (format: string): boolean => format === 'CSV' || format === 'TabSeparated'

/** All columns of a line up to the last one that is used, in their order. */
function positions(fields: readonly Field[]): [string, Field[]][] {
  const last = Math.max(0, ...fields.map(({ path }) => positionOf(path[0] ?? '')))
  return Array.from({ length: last }, (_, index) => [`c${index + 1}`, []])
}

/** 0 = the field is no position. */
export const positionOf = (field: string): number => Number(/^c([1-9]\d{0,3})$/.exec(field)?.[1] ?? 0)

/** Fields that the format cannot have. */
export function unknownFields(
  format: string,
  mappings: readonly FieldMapping[],
  virtual: ReadonlySet<string>,
): string[] {
  if (!isPositional(format)) return []
  return mappings
    .map(({ sourceField }) => sourceField)
    .filter((field) => !virtual.has(field) && positionOf(field) === 0)
}

/** How records are read, where the source says nothing else. */
export const readingSettings: Readonly<Record<string, string>> = {
  date_time_input_format: 'best_effort',
  input_format_skip_unknown_fields: '1',
  input_format_null_as_default: '1',
  insert_null_as_default: '1',
  input_format_defaults_for_omitted_fields: '1',
  input_format_json_ignore_unknown_keys_in_named_tuple: '1',
  input_format_json_defaults_for_missing_elements_in_named_tuple: '1',
  input_format_json_read_objects_as_strings: '1',
  input_format_csv_allow_variable_number_of_columns: '1',
  input_format_tsv_allow_variable_number_of_columns: '1',
  input_format_avro_allow_missing_fields: '1',
}
