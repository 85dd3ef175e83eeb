import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseColumns, parseTypes, writeColumns } from './column-list.ts'

const written = (text: string): string | null => {
  const columns = parseColumns(text)
  return columns === null ? null : writeColumns(columns)
}

test('columns with types of all shapes', () => {
  assert.equal(written('a Int32'), '`a` Int32')
  assert.equal(written(' a Int32 , "b`c" String'), '`a` Int32, `b\\`c` String')
  assert.equal(written("e Enum8('a' = -1, 'b)' = 2)"), "`e` Enum8( 'a' = - 1 , 'b)' = 2 )")
  assert.equal(
    written('t Tuple(x Nullable(Int8), y Map(String, Array(UInt8)))')?.startsWith('`t` Tuple('),
    true,
  )
  assert.equal(written('a Int8 /* ); */ -- x'), '`a` Int8')
  assert.equal(
    written('a DOUBLE PRECISION NOT NULL, b INT UNSIGNED NULL'),
    '`a` DOUBLE PRECISION NOT NULL, `b` INT UNSIGNED NULL',
  )
  assert.equal(written("d DateTime64(3, 'UTC')"), "`d` DateTime64( 3 , 'UTC' )")
  assert.equal(written('n Nested(a.b Int8)'), '`n` Nested( a . b Int8 )')
})

test('nothing but columns', () => {
  const others = [
    '',
    'a',
    'a Int8,, b Int8',
    'a String); SELECT 1',
    'a String) ENGINE = Memory',
    "a String DEFAULT file('/x')",
    'a String ALIAS b',
    'a String MATERIALIZED 1',
    'a String EPHEMERAL',
    'a String CODEC(ZSTD)',
    'a String TTL now()',
    "a String COMMENT 'x'",
    'a Int8; b Int8',
    "a Enum8('x",
    'a Int8(',
    'a Int8)',
    'a Array[Int8]',
    'a {x:Identifier}',
    'a Int8 + 1',
    'INDEX i a TYPE minmax',
    'a Tuple(x Int8; y Int8)',
    "'a' Int8",
    '`` Int8',
  ]
  for (const text of others) assert.equal(parseColumns(text), null, text)
})

test('types alone', () => {
  assert.deepEqual(parseTypes('Int32, Decimal(10, 2)'), ['Int32', 'Decimal( 10 , 2 )'])
  for (const text of ['', 'Int8,', 'Int8); SELECT 1', 'Int8 DEFAULT 1'])
    assert.equal(parseTypes(text), null, text)
})
