import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flawsOf, planned, postgresBody } from '../../../test/support/pipe-bodies.ts'
import { planCreate } from './create.ts'
import type { PostgresPatchInput } from './input.ts'
import { planPatch } from './patch.ts'
import { secretPresence } from './secrets.ts'
import type { TableMapping } from './types.ts'

const table = (sourceTable: string, over: Partial<TableMapping> = {}) => ({
  sourceSchemaName: 'public',
  sourceTable,
  targetTable: sourceTable,
  ...over,
})
const patch = (postgres: PostgresPatchInput) => {
  const { spec, secrets } = planned(planCreate(postgresBody({ tableMappings: [table('a'), table('b')] })))
  return planPatch(spec, secretPresence(secrets), { source: { postgres } })
}
const flaws = (postgres: PostgresPatchInput) =>
  flawsOf(patch(postgres)).map((text) => text.replace('source.postgres.', ''))
const tables = (postgres: PostgresPatchInput) =>
  planned(patch(postgres)).spec.source.postgres?.tableMappings.map((mapping) => mapping.sourceTable)

test('tables are added and removed, the removal first', () => {
  assert.deepEqual(tables({ tableMappingsToAdd: [table('c')] }), ['a', 'b', 'c'])
  assert.deepEqual(tables({ tableMappingsToRemove: [table('a')] }), ['b'])
  const swap = { tableMappingsToRemove: [table('a')], tableMappingsToAdd: [table('c', { targetTable: 'a' })] }
  assert.deepEqual(tables(swap), ['b', 'c'])
})

test('a target table stays with one mapping', () => {
  assert.deepEqual(flaws({ tableMappingsToAdd: [table('c', { targetTable: 'a' })] }), [
    'tableMappingsToAdd[0].targetTable: duplicate',
  ])
  assert.deepEqual(flaws({ tableMappingsToAdd: [table('c'), table('d', { targetTable: 'c' })] }), [
    'tableMappingsToAdd[1].targetTable: duplicate',
  ])
})

test('only what is there can be removed, and one table has to stay', () => {
  assert.deepEqual(flaws({ tableMappingsToRemove: [table('x')] }), ['tableMappingsToRemove[0]: not_found'])
  assert.deepEqual(flaws({ tableMappingsToRemove: [table('a'), table('b')] }), ['tableMappings: required'])
})

test('a mapping is not removed and added in one request', () => {
  const same = {
    tableMappingsToRemove: [table('a')],
    tableMappingsToAdd: [table('a', { partitionKey: 'id' })],
  }
  assert.deepEqual(flaws(same), ['tableMappingsToAdd[0]: not_allowed'])
})

test('added mappings keep the rules of mappings, at their own place', () => {
  assert.deepEqual(flaws({ tableMappingsToAdd: [table('', { sortingKeys: ['id'] })] }), [
    'tableMappingsToAdd[0].sourceTable: required',
    'tableMappingsToAdd[0].targetTable: required',
    'tableMappingsToAdd[0].sortingKeys: not_allowed',
  ])
})

test('the list itself may be repeated, not rewritten', () => {
  assert.deepEqual(flaws({ tableMappings: [table('a'), table('b')] }), [])
  assert.deepEqual(flaws({ tableMappings: [table('a')] }), ['tableMappings: immutable'])
})
