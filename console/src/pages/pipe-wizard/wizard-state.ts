/**
 * All that was entered into the wizard, for as long as its page is open: going back and forth between the steps keeps
 * it. What the server says about a field stays on it until the field is changed.
 */
import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { BodyOf } from '../../../../src/api/operations.ts'
import type { ApiError } from '../../api/api-error.ts'
import type { Result } from '../../api/operations.ts'
import type { SourceKind } from '../../lib/source-kinds.ts'
import { bodyOf, type FieldSpec, type FieldValue, type Get, isShown, reader, type Values } from './fields.ts'
import { kafkaGroups } from './kafka-fields.ts'
import { kinesisGroups } from './kinesis-fields.ts'
import { objectStorageGroups } from './object-storage-fields.ts'
import { placeIssues } from './place-issues.ts'
import { postgresGroups } from './postgres-fields.ts'
import { type ColumnRow, columnsBody, filledRows, newTable, type TableRow, tablesBody } from './rows.ts'
import { runGroups } from './run-fields.ts'
import { databaseField, definitionGroup, tableField } from './table-fields.ts'

export const sourceGroups = {
  kafka: kafkaGroups,
  objectStorage: objectStorageGroups,
  kinesis: kinesisGroups,
  postgres: postgresGroups,
}

export type Step = 'source' | 'sample' | 'table' | 'run'
/** The fields of Postgres are those of its tables: there is no sample to read. */
export const stepsOf = (kind: SourceKind): readonly Step[] =>
  kind === 'postgres' ? ['source', 'table', 'run'] : ['source', 'sample', 'table', 'run']

type Body = BodyOf<'pipes.create'>
export type Schema = Result<'pipes.discoverSchema'>
export type Wizard = ReturnType<typeof createWizard>

export function createWizard(kind: SourceKind) {
  const values = signal<Values>({})
  const columns = signal<readonly ColumnRow[]>([])
  /** Keys of the columns by which a new table is sorted, in their order. */
  const sorting = signal<readonly number[]>([])
  const tables = signal<readonly TableRow[]>([newTable()])
  const isNewTable = signal(true)
  const schema = signal<Schema | null>(null)
  const errors = signal<Readonly<Record<string, string>>>({})
  const others = signal<readonly { step: Step; message: string }[]>([])
  /** How far the steps have been opened. */
  const reached = signal(0)
  /** Goes up with each refusal: the first wrong field then takes the focus. */
  const refusals = signal(0)

  const fieldsOf: Record<Step, readonly FieldSpec[]> = {
    source: sourceGroups[kind].flatMap(({ fields }) => fields),
    sample: [],
    table: kind === 'postgres' ? [databaseField] : [databaseField, tableField, ...definitionGroup.fields],
    run: runGroups[kind].flatMap(({ fields }) => fields),
  }
  const fields = Object.values(fieldsOf).flat()
  const get: ReadonlySignal<Get> = computed(() => reader(fields, values.value))

  function build({ isMasked = false } = {}): Body {
    const made = bodyOf(fields, values.value, { isMasked }) as unknown as Body
    if (kind === 'postgres') {
      const tableMappings = tablesBody(tables.value)
      const postgres = { ...made.source.postgres, tableMappings } as NonNullable<Body['source']['postgres']>
      return { ...made, source: { postgres }, destination: made.destination ?? {} }
    }
    const { columns: filled, fieldMappings } = columnsBody(columns.value)
    const { tableDefinition, ...destination } = made.destination ?? {}
    const sortingKey = sortingNames()
    return {
      ...made,
      destination: {
        ...{ ...destination, managedTable: isNewTable.value, columns: filled },
        ...(isNewTable.value
          ? { tableDefinition: { ...tableDefinition, ...(sortingKey.length > 0 ? { sortingKey } : {}) } }
          : {}),
      },
      fieldMappings,
    }
  }

  const sortingNames = (): string[] =>
    sorting.value.flatMap((key) => filledRows(columns.value).find((row) => row.key === key)?.name ?? [])

  /** Every path that a field or a cell of the wizard has now. */
  function paths(): { path: string; step: Step }[] {
    const found = (Object.keys(fieldsOf) as Step[]).flatMap((step) =>
      fieldsOf[step].filter((field) => isShown(field, get.value)).map(({ path }) => ({ path, step })),
    )
    const cells =
      kind === 'postgres'
        ? tables.value.flatMap((_, i) =>
            tableCells.map((cell) => `source.postgres.tableMappings[${i}].${cell}`),
          )
        : filledRows(columns.value).flatMap((_, i) => columnCells(i))
    const rest = kind === 'postgres' ? [] : ['destination.columns', 'destination.tableDefinition.sortingKey']
    return [...found, ...[...cells, ...rest].map((path) => ({ path, step: 'table' as const }))]
  }

  return {
    ...{ kind, values, columns, sorting, tables, isNewTable, schema, errors, others, reached, refusals, get },
    ...{ build, sortingNames, fields, steps: stepsOf(kind) },
    set(path: string, value: FieldValue): void {
      values.value = { ...values.value, [path]: value }
      const { [path]: _, ...rest } = errors.value
      errors.value = rest
    },
    /** Rows have changed: what was said about them may be about others now. */
    forget(prefix: string): void {
      errors.value = Object.fromEntries(
        Object.entries(errors.value).filter(([path]) => !path.startsWith(prefix)),
      )
    },
    clear(): void {
      errors.value = {}
      others.value = []
    },
    /** Puts what the server refused on its fields. Gives the step of the first of them; `step` is where it was asked. */
    refuse(error: ApiError, step: Step): Step {
      const known = paths()
      const placed = placeIssues(
        error,
        known.map(({ path }) => path),
      )
      errors.value = placed.fields
      others.value = placed.others.map(({ path, message }) => ({ step: stepOf(path, step), message }))
      refusals.value += 1
      const wrong = known.find(({ path }) => path in placed.fields)
      return wrong?.step ?? others.value[0]?.step ?? step
    },
    isChanged: (): boolean => Object.keys(values.value).length > 0 || schema.value !== null,
  }
}

export const tableCells = [
  ...['sourceSchemaName', 'sourceTable', 'targetTable', 'tableEngine', 'excludedColumns'],
  ...['sortingKeys', 'partitionKey', 'partitionByExpr'],
]
const columnCells = (i: number) => [
  ...[`fieldMappings[${i}].sourceField`, `destination.columns[${i}].name`, `destination.columns[${i}].type`],
  `fieldMappings[${i}].destinationField`,
]

function stepOf(path: string, asked: Step): Step {
  if (path.startsWith('destination') || path.startsWith('fieldMappings')) return 'table'
  return asked
}
