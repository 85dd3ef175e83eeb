import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseColumnType } from './column-type.ts'

test('types are read as system.columns has them', () => {
  const text = { kind: 'text', name: 'String', isNullable: false }
  const other = { kind: 'text', name: 'other', isNullable: false }
  const cases: Record<string, object> = {
    String: text,
    'LowCardinality(Nullable(String))': { ...text, isNullable: true },
    'FixedString(16)': other,
    "Enum8('a,)(' = 1, 'it\\'s' = -2)": other,
    UUID: other,
    IPv6: other,
    UInt256: { kind: 'integer', name: 'UInt256', bits: 256, isSigned: false, isNullable: false },
    'Decimal(18, 4)': { kind: 'decimal', precision: 18, scale: 4, isNullable: false },
    Float32: { kind: 'float', name: 'Float32', isNullable: false },
    BFloat16: { kind: 'float', name: 'BFloat16', isNullable: false },
    DateTime: { kind: 'time', digits: null, isNullable: false },
    "DateTime('Europe/Berlin')": { kind: 'time', digits: null, isNullable: false },
    "Nullable(DateTime64(6, 'UTC'))": { kind: 'time', digits: 6, isNullable: true },
    'SimpleAggregateFunction(any, Nullable(String))': { ...text, isNullable: true },
    'SimpleAggregateFunction(groupArrayArray(5), Array(String))': {
      ...{ kind: 'array', element: text, isNullable: false },
    },
    'Map(LowCardinality(String), Array(String))': {
      ...{ kind: 'map', key: text, isNullable: false },
      value: { kind: 'array', element: text, isNullable: false },
    },
    'JSON(max_dynamic_paths=8, a.b UInt32, SKIP c)': { kind: 'json', isNullable: false },
    'Variant(Array(String), UInt8)': { kind: 'dynamic', isNullable: true },
    'AggregateFunction(sum, UInt64)': { kind: 'unknown', name: 'AggregateFunction', isNullable: false },
    '': { kind: 'unknown', name: '', isNullable: false },
  }
  for (const [type, expected] of Object.entries(cases))
    assert.deepEqual(parseColumnType(type), expected, type)
})

test('tuples have names, quoted names, numbers, and tuples in them', () => {
  const names = (type: string): (string | null)[] => {
    const parsed = parseColumnType(type)
    const tuple = parsed.kind === 'array' ? parsed.element : parsed
    assert.ok(tuple.kind === 'tuple')
    return tuple.parts.map(({ name, type: part }) => `${name}:${part.kind}`)
  }
  assert.deepEqual(names('Tuple(a Int8, `b c` String)'), ['a:integer', 'b c:text'])
  assert.deepEqual(names("Tuple(Int8, Enum8('x' = 1), Tuple(a UUID))"), [
    'null:integer',
    'null:text',
    'null:tuple',
  ])
  assert.deepEqual(names('Nested(x Nullable(Int8), y Map(String, String))'), ['x:integer', 'y:map'])
  assert.deepEqual(names('Array(Tuple(t DateTime64(3), d Decimal(9, 2)))'), ['t:time', 'd:decimal'])
})
