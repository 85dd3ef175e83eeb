import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flawsOf, kafkaBody, ordersTable, planned, postgresBody } from '../../../test/support/pipe-bodies.ts'
import { planCreate } from './create.ts'
import type { DestinationInput, PipeCreateInput } from './input.ts'
import type { FieldMapping } from './types.ts'

const mapped = (fieldMappings?: FieldMapping[]): string[] => {
  const { fieldMappings: _, ...body } = kafkaBody()
  return flawsOf(planCreate(fieldMappings === undefined ? body : { ...body, fieldMappings }))
}
const into = (over: DestinationInput): PipeCreateInput => ({ ...kafkaBody(), ...ordersTable(over) })
const flaws = (over: DestinationInput) => flawsOf(planCreate(into(over)))
const engineOf = (over: DestinationInput) =>
  planned(planCreate(into(over))).spec.destination.tableDefinition.engine.type

test('all destination columns must appear in fieldMappings', () => {
  const id = { sourceField: 'id', destinationField: 'id' }
  const amount = { sourceField: 'id', destinationField: 'amount' }
  assert.deepEqual(mapped([id, amount]), [])
  assert.deepEqual(mapped([id]), ['fieldMappings: required'])
  assert.deepEqual(mapped([]), ['fieldMappings: required', 'fieldMappings: required'])
  assert.deepEqual(mapped(), ['fieldMappings: required', 'fieldMappings: required'])
})

test('a missing column is named by its place', () => {
  const result = planCreate({ ...kafkaBody(), fieldMappings: [{ sourceField: 'a', destinationField: 'id' }] })
  assert.match(result.ok ? '' : (result.issues[0]?.message ?? ''), /destination\.columns\[1\]/)
})

test('a mapping fills one declared column, and no column twice', () => {
  const id = { sourceField: 'id', destinationField: 'id' }
  const amount = { sourceField: 'amt', destinationField: 'amount' }
  assert.deepEqual(mapped([id, amount, id]), ['fieldMappings[2].destinationField: duplicate'])
  assert.deepEqual(mapped([id, amount, { sourceField: 'x', destinationField: 'y' }]), [
    'fieldMappings[2].destinationField: not_found',
  ])
  assert.deepEqual(mapped([id, amount, { sourceField: '', destinationField: '' }]), [
    'fieldMappings[2].sourceField: required',
    'fieldMappings[2].destinationField: required',
  ])
})

test('table and columns are required, and columns are declared once', () => {
  assert.deepEqual(flaws({ table: '' }), ['destination.table: required'])
  const none = { ...kafkaBody(), destination: { table: 'orders' }, fieldMappings: [] }
  assert.deepEqual(flawsOf(planCreate(none)), ['destination.columns: required'])
  const { columns } = ordersTable().destination
  assert.deepEqual(flaws({ columns: [...columns, { name: 'id', type: 'String' }] }), [
    'destination.columns[2].name: duplicate',
  ])
})

test('the database defaults, also when it is empty', () => {
  assert.equal(planned(planCreate(into({ database: '' }))).spec.destination.database, 'default')
})

test('the engine follows from its columns where its type is not said', () => {
  assert.equal(engineOf({}), 'MergeTree')
  const replacing = { engine: { versionColumnId: 'id' }, sortingKey: ['id'] }
  assert.equal(engineOf({ tableDefinition: replacing }), 'ReplacingMergeTree')
  assert.equal(engineOf({ tableDefinition: { engine: { columnIds: ['amount'] } } }), 'SummingMergeTree')
})

test('ReplacingMergeTree needs a declared version column and a key', () => {
  const engine = { type: 'ReplacingMergeTree' } as const
  assert.deepEqual(flaws({ tableDefinition: { engine } }), [
    'destination.tableDefinition.engine.versionColumnId: required',
    'destination.tableDefinition.sortingKey: required',
  ])
  const unknown = { ...engine, versionColumnId: 'version' }
  assert.deepEqual(flaws({ tableDefinition: { engine: unknown, sortingKey: ['id'] } }), [
    'destination.tableDefinition.engine.versionColumnId: not_found',
  ])
  assert.deepEqual(flaws({ tableDefinition: { engine: { versionColumnId: 'id' }, primaryKey: 'id' } }), [])
})

test('SummingMergeTree needs declared columns', () => {
  const engine = { type: 'SummingMergeTree' } as const
  const path = 'destination.tableDefinition.engine.columnIds'
  assert.deepEqual(flaws({ tableDefinition: { engine } }), [`${path}: required`])
  const unknown = { ...engine, columnIds: ['amount', 'x'] }
  assert.deepEqual(flaws({ tableDefinition: { engine: unknown } }), [`${path}[1]: not_found`])
})

test('columns of an engine are refused elsewhere', () => {
  const engine = { type: 'MergeTree', versionColumnId: 'id', columnIds: ['id'] } as const
  assert.deepEqual(flaws({ tableDefinition: { engine: { ...engine, columnIds: ['id'] } } }), [
    'destination.tableDefinition.engine.versionColumnId: not_allowed',
    'destination.tableDefinition.engine.columnIds: not_allowed',
  ])
})

test('the sorting key names declared columns, each once', () => {
  assert.deepEqual(flaws({ tableDefinition: { sortingKey: ['id', 'amount'] } }), [])
  assert.deepEqual(flaws({ tableDefinition: { sortingKey: ['id', 'x', 'id'] } }), [
    'destination.tableDefinition.sortingKey[1]: not_found',
    'destination.tableDefinition.sortingKey[2]: duplicate',
  ])
})

test('a Null table has no keys', () => {
  const tableDefinition = {
    engine: { type: 'Null' },
    sortingKey: ['id'],
    primaryKey: 'id',
    partitionBy: 'id',
  } as const
  assert.equal(flaws({ tableDefinition: { ...tableDefinition, sortingKey: ['id'] } }).length, 3)
  assert.deepEqual(flaws({ tableDefinition: { engine: { type: 'Null' } } }), [])
})

test('database sources use only the database', () => {
  const { destination, fieldMappings } = ordersTable()
  const definition = { ...destination, managedTable: false, tableDefinition: { sortingKey: ['id'] } }
  assert.deepEqual(flawsOf(planCreate({ ...postgresBody(), destination: definition, fieldMappings })), [
    'destination.table: not_allowed',
    'destination.columns: not_allowed',
    'destination.managedTable: not_allowed',
    'destination.tableDefinition: not_allowed',
    'fieldMappings: not_allowed',
  ])
  const shown = planned(planCreate(postgresBody())).spec.destination
  assert.deepEqual(flawsOf(planCreate({ ...postgresBody(), destination: shown, fieldMappings: [] })), [])
})
