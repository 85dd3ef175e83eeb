import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planReading } from './mapping.ts'
import { isCompatible, nullableType } from './types.ts'

const column = (name: string, type = 'String', hasDefault = false) => ({ name, type, hasDefault })
const plan = (
  format: string,
  mappings: Record<string, string>,
  types: Record<string, string> = {},
  virtual: string[] = [],
) =>
  planReading({
    format,
    mappings: Object.entries(mappings).map(([destinationField, sourceField]) => ({
      destinationField,
      sourceField,
    })),
    columns: Object.keys(mappings).map((name) => column(name, types[name])),
    virtual: new Set(virtual),
  })

test('nested fields become tuples in formats with objects, and stay names in others', () => {
  const json = plan('JSONEachRow', { a: 'o.a', b: 'o.p.b', c: 'c' }, { b: 'Int32' })
  assert.equal(json.structure, '`o` Tuple(`a` String, `p` Tuple(`b` Int32)), `c` String')
  assert.equal(json.select, "tupleElement(`o`, 'a'), tupleElement(tupleElement(`o`, 'p'), 'b'), `c`")
  assert.equal(plan('AvroConfluent', { a: 'o.a' }).structure, '`o.a` String')
})

test('one field may fill several columns, and an object may be used as a whole and in parts', () => {
  assert.deepEqual(
    (({ structure, select }) => [structure, select])(plan('JSONEachRow', { a: 'f', b: 'f' }, { b: 'UInt8' })),
    ['`f` Nullable(String)', "CAST(`f`, 'Nullable(String)'), CAST(`f`, 'Nullable(UInt8)')"],
  )
  const both = plan('JSONEachRow', { whole: 'o', part: 'o.p' }, { part: 'UInt8' })
  assert.equal(both.structure, '`o` Nullable(String)')
  assert.equal(both.select, "CAST(`o`, 'Nullable(String)'), JSONExtract(`o`, 'p', 'Nullable(UInt8)')")
})

test('lines without names are read by position, and fields of the engine are not read at all', () => {
  const csv = plan('CSV', { a: 'c3', b: 'c1', path: '_path' }, { a: 'UInt8' }, ['_path'])
  assert.equal(csv.structure, '`c1` String, `c2` String, `c3` UInt8')
  assert.equal(csv.select, '`c3`, `c1`, `_path`')
  const object = plan('JSONAsObject', { all: 'json', part: 'a.b' }, { all: 'JSON', part: 'UInt8' })
  assert.equal(object.structure, '`json` JSON')
  assert.equal(object.select, "CAST(`json`, 'JSON'), CAST(`json`.`a`.`b`, 'Nullable(UInt8)')")
})

test('a field whose column has a DEFAULT is read with NULL, where its type can have it', () => {
  const types = ['Int8', 'Nullable(Int8)', 'LowCardinality(String)', 'Array(Int8)', 'Map(String, Int8)']
  assert.deepEqual(types.map(nullableType), [
    'Nullable(Int8)',
    'Nullable(Int8)',
    'LowCardinality(Nullable(String))',
    null,
    null,
  ])
})

test('declared and actual types fit when they are of one family', () => {
  const fits = [
    ['Int32', 'UInt64'],
    ['String', 'LowCardinality(Nullable(String))'],
    ['DateTime', "DateTime64(3, 'UTC')"],
    ['Decimal(10, 2)', 'Float64'],
    ['Array(Int8)', 'Array(Int8)'],
  ]
  const not = [
    ['String', 'Int32'],
    ['Array(Int8)', 'Int8'],
    ['UUID', 'String'],
    ['Date', 'Int32'],
    ['Map(String, String)', 'String'],
  ]
  assert.deepEqual(
    fits.filter(([one = '', other = '']) => !isCompatible(one, other)),
    [],
  )
  assert.deepEqual(
    not.filter(([one = '', other = '']) => isCompatible(one, other)),
    [],
  )
})
