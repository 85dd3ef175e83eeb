import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileSqlWhere } from './sql-where.ts'
import { WhereError } from './where-error.ts'

const variables = { v: "it's", many: ['a', "b'"], every: null, none: [] }
const compiled = (text: string): string => compileSqlWhere(text, variables)

test('an expression stands in brackets of its own', () => {
  assert.equal(compiled('a = 1'), '((a = 1) AND true)')
  assert.equal(compiled(' \n'), '(true)')
  for (const text of [
    "a = ')' OR b = ';' OR c = '--'",
    '/* ) ; */ a',
    'a -- )\n',
    'CAST(a AS UInt8)',
    'cast ( a /* AS */ AS UInt8)',
    "CAST(a, 'UInt8')",
    'a IN (SELECT x AS y FROM t)',
    'a IN (WITH 1 AS y SELECT y)',
    'f(CAST(a AS Decimal(10, 2)), [1, 2], {a: 1})',
    'a = $$;)$$',
    '"AS" = 1 AND `;` = 2',
    'a ? b : c',
    'a IN (SELECT x FROM t ORDER BY settings LIMIT 1)',
  ]) {
    assert.equal(compiled(text), `((${text}) AND true)`)
  }
})

const wrong: [text: string, position: number][] = [
  ['a; b', 1],
  ['a = 1;', 5],
  ['a)', 1],
  ['a) OR (b', 1],
  ['(a', 0],
  ['f([a)', 4],
  ["a = 'x", 4],
  ["a = 'x\\'", 4],
  ['a = `x', 4],
  ['a = "x', 4],
  ['a /* b', 2],
  ['a -- b', 2],
  ['a --', 2],
  ['a #! b', 2],
  ['-- b\n', 5],
  ['a, b', 1],
  ['1 AS ts', 2],
  ['(1 AS ts) > 0', 3],
  ['f(1 as ts)', 4],
  ['[1 AS ts][1]', 3],
  ['CAST(1 AS ts AS UInt8)', 13],
  ["CAST(1 AS ts, 'UInt8')", 12],
  ["CAST(1, 'UInt8' AS ts)", 16],
  ['CAST((1 AS ts) AS UInt8)', 8],
  ['SELECT 1', 0],
  [' WITH 1 AS x SELECT x', 1],
  ['a = $1', 4],
  ['a IN (SELECT 1 SETTINGS max_execution_time = 0)', 15],
  ['a IN (SELECT 1 settings `limit` = 0)', 15],
  ['a IN (SELECT 1 SETTINGS limit = 1, max_execution_time = 0)', 15],
  ['a IN (SELECT 1 SETTINGS/**/LIMIT/**/=1)', 15],
  ["a IN (SELECT x FROM url('http://example.com/', 'CSV', 'x String'))", 20],
  ["a IN (SELECT x FROM `s3`('http://example.com/'))", 20],
  ['a = $tag$', 4],
  ['a = $', 4],
  ['a\0', 1],
  [`${'('.repeat(65)}1${')'.repeat(65)}`, 64],
  [`a = $v AND (${'b'}`, 11],
]

test('what could leave its brackets is refused where it is wrong', () => {
  for (const [text, position] of wrong) {
    assert.throws(
      () => compiled(text),
      (error) => {
        assert.ok(error instanceof WhereError, text)
        assert.deepEqual([error.code, error.position], ['syntax', position], text)
        return true
      },
    )
  }
})

test('a variable is never more than a value', () => {
  const replaced: Record<string, string> = {
    'a = $v': "a = 'it\\'s'",
    'a = ${v}': "a = 'it\\'s'",
    'a IN ($many)': "a IN ('a', 'b\\'')",
    'a IN ($none)': 'a IN (NULL)',
    "a = 'x $v y'": "a = 'x it\\'s y'",
    "a = '${v}'": "a = 'it\\'s'",
    "a = '\\$v'": "a = '$v'",
    "a = 'x\\\\$v'": "a = 'x\\\\it\\'s'",
    "a = '$5'": "a = '$5'",
    'f($v, $v, $v, $v, $v)': `f(${Array(5).fill("'it\\'s'").join(', ')})`,
    'a /* $v $nope */': 'a /* $v $nope */',
    'a = $$ $v $$': 'a = $$ $v $$',
  }
  for (const [text, expected] of Object.entries(replaced)) {
    assert.equal(compiled(text), `((${expected}) AND true)`, text)
  }
  assert.throws(() => compiled('a = $vv'), { code: 'not_found', position: 4, suggestions: ['v'] })
  assert.throws(() => compiled("a = 'x $nope'"), { code: 'not_found', position: 7 })
  assert.throws(() => compiled('a = $every'), { code: 'invalid_value', position: 4 })
})
