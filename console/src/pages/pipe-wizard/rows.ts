/** The lists of the wizard: columns with their mappings, and the tables of Postgres. */
import type { BodyOf } from '../../../../src/api/operations.ts'

type Body = BodyOf<'pipes.create'>
export type Field = { name: string; type: string }

export interface ColumnRow {
  /** Stays while names change. */
  key: number
  sourceField: string
  name: string
  type: string
  /** Left out otherwise: an existing table's columns stay in the list. */
  isFilled: boolean
}

export interface TableRow {
  key: number
  sourceSchemaName: string
  sourceTable: string
  targetTable: string
  tableEngine: 'ReplacingMergeTree' | 'MergeTree' | 'Null'
  /** Column names separated by commas. */
  excludedColumns: string
  sortingKeys: string
  partitionKey: string
  partitionByExpr: string
}

let lastKey = 0
const newKey = () => ++lastKey

export const newColumn = (row: Partial<ColumnRow> = {}): ColumnRow => ({
  ...{ key: newKey(), sourceField: '', name: '', type: 'String', isFilled: true },
  ...row,
})

export const newTable = (row: Partial<TableRow> = {}): TableRow => ({
  ...{ key: newKey(), sourceSchemaName: 'public', sourceTable: '', targetTable: '' },
  ...{ tableEngine: 'ReplacingMergeTree', excludedColumns: '', sortingKeys: '' },
  ...{ partitionKey: '', partitionByExpr: '' },
  ...row,
})

/** A column for each field of the sample; a path becomes a name with underscores. */
export const columnsOfFields = (fields: readonly Field[]): ColumnRow[] =>
  fields.map(({ name, type }) => newColumn({ sourceField: name, name: name.replaceAll('.', '_'), type }))

/** The columns of a table that is there, each filled by the field of its name if the sample has it. */
export const columnsOfTable = (columns: readonly Field[], fields: readonly Field[]): ColumnRow[] =>
  columns.map(({ name, type }) => {
    const field = fields.find((one) => one.name === name || one.name.replaceAll('.', '_') === name)
    const isFilled = field !== undefined || fields.length === 0
    return newColumn({ name, type, sourceField: field?.name ?? (isFilled ? name : ''), isFilled })
  })

export const filledRows = (rows: readonly ColumnRow[]): ColumnRow[] => rows.filter(({ isFilled }) => isFilled)

export function columnsBody(rows: readonly ColumnRow[]) {
  const filled = filledRows(rows)
  return {
    columns: filled.map(({ name, type }) => ({ name, type })),
    fieldMappings: filled.map(({ sourceField, name }) => ({ sourceField, destinationField: name })),
  }
}

type Mapping = NonNullable<Body['source']['postgres']>['tableMappings'][number]

export const tablesBody = (rows: readonly TableRow[]): Mapping[] =>
  rows.map((row) => {
    const sortingKeys = namesOf(row.sortingKeys)
    const excludedColumns = namesOf(row.excludedColumns)
    return {
      ...{ sourceSchemaName: row.sourceSchemaName, sourceTable: row.sourceTable },
      ...{ targetTable: row.targetTable || row.sourceTable, tableEngine: row.tableEngine },
      ...(excludedColumns.length > 0 ? { excludedColumns } : {}),
      ...(sortingKeys.length > 0 ? { useCustomSortingKey: true, sortingKeys } : {}),
      ...(row.partitionKey === '' ? {} : { partitionKey: row.partitionKey }),
      ...(row.partitionByExpr === '' ? {} : { partitionByExpr: row.partitionByExpr }),
    }
  })

export const namesOf = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
