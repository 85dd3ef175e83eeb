import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseTableName, quoteIdentifier, quoteString } from './identifiers.ts'
import { createLexer, nextToken } from './lexer.ts'
import { unquote } from './literals.ts'

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.constantFrom(...'\'"`\\$ntx0N\n\t\0\b;-/*%é')).map((chars) => chars.join('')),
)

test('what is quoted is one token and comes back as it was', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const [quoted, kind] of [
        [quoteString(text), 'string'] as const,
        [quoteIdentifier(text), 'identifier'] as const,
      ]) {
        const lexer = createLexer(quoted)
        assert.equal(nextToken(lexer), kind)
        assert.equal(lexer.end, quoted.length)
        assert.equal(unquote(quoted), text)
      }
    }),
    { numRuns: 1000 },
  )
})

test('quoting writes what the engine writes', () => {
  assert.equal(quoteString('it\'s \\ a\n\t\0"`'), "'it\\'s \\\\ a\\n\\t\\0\"`'")
  assert.equal(quoteIdentifier("a`b'c"), "`a\\`b'c`")
})

test('names of tables', () => {
  assert.deepEqual(parseTableName('t'), { database: null, table: 't' })
  assert.deepEqual(parseTableName(' db . `a.b` -- c'), { database: 'db', table: 'a.b' })
  assert.deepEqual(parseTableName('"a""b".1t'), { database: 'a"b', table: '1t' })
  for (const text of [
    '',
    'a.b.c',
    'a b',
    'a.',
    '.a',
    "'a'",
    'FUNCTION f()',
    '1',
    '{t:Identifier}',
    '`a',
    'a.b;',
  ]) {
    assert.equal(parseTableName(text), null, text)
  }
  fc.assert(
    fc.property(anyText, anyText, (database, table) => {
      const text = `${quoteIdentifier(database)}.${quoteIdentifier(table)}`
      assert.deepEqual(parseTableName(text), { database, table })
    }),
  )
})
