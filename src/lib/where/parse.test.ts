// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a variable of the where language is written so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Query, Term } from './ast.ts'
import { maxCharacters, maxDepth, parseWhere } from './parse.ts'
import { WhereError } from './where-error.ts'

/** A query with all its brackets: `(a AND (NOT b))`. */
function bracketed(query: Query): string {
  switch (query.kind) {
    case 'all':
      return 'ALL'
    case 'not':
      return `(NOT ${bracketed(query.part)})`
    case 'clause':
      return `${query.field === null ? '' : `${query.field.name}:`}${termText(query.term)}`
    default:
      return `(${query.parts.map(bracketed).join(` ${query.kind.toUpperCase()} `)})`
  }
}

function termText(term: Term): string {
  if (term.kind === 'variable') return `$${term.name}`
  if (term.kind === 'pattern') return `<${term.pieces.join('|')}>`
  if (term.kind === 'any') return '<any>'
  if (term.kind === 'compare') return `${term.operator}${termText(term.value)}`
  if (term.kind === 'range') {
    const [low, high] = [term.low, term.high].map((bound) => (bound ? termText(bound) : '*'))
    return `${term.includesLow ? '[' : '{'}${low},${high}${term.includesHigh ? ']' : '}'}`
  }
  return term.kind === 'phrase' ? `"${term.text}"` : term.text
}

const read: Record<string, string> = {
  '': 'ALL',
  ' * ': 'ALL',
  'a b c': '(a AND b AND c)',
  'a OR b AND c': '(a OR (b AND c))',
  'a AND b OR c': '((a AND b) OR c)',
  'a b OR c d': '((a AND b) OR (c AND d))',
  'a OR b c OR d': '(a OR (b AND c) OR d)',
  'NOT a b': '((NOT a) AND b)',
  'NOT a OR b': '((NOT a) OR b)',
  'a NOT b': '(a AND (NOT b))',
  'a OR NOT b': '(a OR (NOT b))',
  'NOT (a OR b) c': '((NOT (a OR b)) AND c)',
  '(a OR b) c': '((a OR b) AND c)',
  'a (b OR c)': '(a AND (b OR c))',
  'a||b': 'a||b',
  'a || b && c': '(a OR (b AND c))',
  'a or b and not c': '(a AND or AND b AND and AND not AND c)',
  'ANDy ORacle NOTe': '(ANDy AND ORacle AND NOTe)',
  '\\AND "OR"': '(AND AND "OR")',
  '-a !b +c': '((NOT a) AND (NOT b) AND c)',
  '--a': '(NOT (NOT a))',
  'a-b a!b a+b': '(a-b AND a!b AND a+b)',
  '- a': '(- AND a)',
  '(-)': '-',
  'n:-5 n:!x n:+1': '(n:-5 AND n:!x AND n:+1)',
  '-n:-5': '(NOT n:-5)',
  'f:AND f:NOT': '(f:AND AND f:NOT)',
  'a:b:c': 'a:b:c',
  'a\\:b': 'a:b',
  'a\\:b:c': 'a:b:c',
  'http://x:1/y': 'http://x:1/y',
  'url:http://x': 'url:http://x',
  'localhost:80 localhost:80/a localhost:http': '(localhost:80 AND localhost:80/a AND localhost:http)',
  'a\\ b\\(c\\)\\"\\\\': 'a b(c)"\\',
  '"a \\"b\\" \\\\ \\* (c)"': '"a "b" \\ * (c)"',
  'a?b~2^3/[x]': 'a?b~2^3/[x]',
  '[1 TO 2]': '([1 AND TO AND 2])',
  '>5': '>5',
  'f:*': 'f:<any>',
  'f:a*b*': 'f:<a|b|>',
  'f:\\*': 'f:*',
  'f:"*"': 'f:"*"',
  'f:>=5 f:<x': '(f:>=5 AND f:<x)',
  'f:>"a b"': 'f:>"a b"',
  'f:\\>5': 'f:>5',
  'f:[1 TO 2] f:{a TO *] f:[* TO "x y"}': '(f:[1,2] AND f:{a,*] AND f:[*,"x y"})',
  'f:[\\* TO a\\]]': 'f:[*,a]]',
  'f:[ 1  TO  2 ]g': '(f:[1,2] AND g)',
  'f:(a OR b)': '(f:a OR f:b)',
  'f:(a b:c)': '(f:a AND f:b:c)',
  'f:(>1 [2 TO 3] -x "p" (y OR z*))': '(f:>1 AND f:[2,3] AND (NOT f:x) AND f:"p" AND (f:y OR f:<z|>))',
  '-f:(a)': '(NOT f:a)',
  'f:$v ${w} f:($v) f:>$v f:[$v TO ${w}]': '(f:$v AND $w AND f:$v AND f:>$v AND f:[$v,$w])',
  'f:\\$v f:$1 f:$v-x f:"$v"': '(f:$v AND f:$1 AND f:$v-x AND f:"$v")',
  'a"b"c': '(a AND "b" AND c)',
  '(a)(b)': '(a AND b)',
  'NOT(a)OR(b)': '((NOT a) OR b)',
  'größe:Ä\u00a0b': '(größe:Ä AND b)',
}

test('operators bind as the grammar says', () => {
  for (const [text, expected] of Object.entries(read)) {
    const given = bracketed(parseWhere(text))
    assert.equal(given, expected, text)
  }
  // A variable and a text that looks like one print alike.
  const query = parseWhere('f:\\$v f:$1 f:$v-x')
  assert.ok(query.kind === 'and')
  for (const part of query.parts) assert.ok(part.kind === 'clause' && part.term.kind === 'word')
})

const wrong: [text: string, position: number, message: RegExp][] = [
  ['level:error AND', 15, /^a term is missing after AND$/],
  ['level:error AND  ', 17, /missing after AND/],
  ['AND a', 0, /missing before AND/],
  ['a OR OR b', 4, /missing after OR/],
  ['a && || b', 4, /missing after &&/],
  ['(a AND ) b', 6, /missing after AND/],
  ['NOT', 3, /missing after NOT/],
  ['a NOT', 5, /missing after NOT/],
  ['-AND', 1, /missing after -/],
  ['(a', 0, /never closed/],
  ['x (a (b)', 2, /never closed/],
  ['(', 0, /never closed/],
  ['a)', 1, /closes nothing/],
  [')', 0, /closes nothing/],
  ['()', 1, /empty/],
  ['f:()', 3, /empty/],
  ['f:(a', 2, /never closed/],
  ['a "b c', 2, /quote is never closed/],
  ['f:"b', 2, /quote is never closed/],
  ['f:"b\\"', 2, /quote is never closed/],
  ['f:', 2, /missing after f:/],
  ['f: x', 2, /missing after f:/],
  ['(f:)', 3, /missing after f:/],
  ['f:>', 3, /missing after >/],
  ['f:>= 5', 4, /missing after >=/],
  ['f:<(5)', 3, /missing after </],
  [':x', 0, /field is missing/],
  ['f:[1 TO 2', 2, /never closed/],
  ['f:[1', 2, /never closed/],
  ['f:[', 2, /never closed/],
  ['f:[1 2]', 5, /TO is missing/],
  ['f:[1 to 2]', 5, /TO is missing/],
  ['f:[ TO 2]', 7, /TO is missing/],
  ['f:[1 TO ]', 8, /bound is missing/],
  ['f:[1 TO 2 3]', 10, /\] or \} is missing/],
  ['a\\', 1, /backslash/],
  ['f:"a\\', 4, /backslash/],
]

test('a text that does not parse is refused where it is wrong', () => {
  for (const [text, position, message] of wrong) {
    assert.throws(
      () => parseWhere(text),
      (error) => {
        assert.ok(error instanceof WhereError, text)
        assert.deepEqual([error.code, error.position], ['syntax', position], text)
        assert.match(error.message, message, text)
        return true
      },
    )
  }
})

test('depth and length are limited, and long texts are read in linear time', () => {
  const nested = (levels: number, open: string, close: string): string =>
    `${open.repeat(levels)}a${close.repeat(levels)}`
  for (const [open, close] of [
    ['(', ')'],
    ['NOT ', ''],
    ['-', ''],
    ['!(', ')'],
  ] as const) {
    const levels = open === '!(' ? maxDepth / 2 : maxDepth
    parseWhere(nested(levels, open, close))
    assert.throws(() => parseWhere(nested(levels + 1, open, close)), /64 levels deep/)
  }
  assert.throws(() => parseWhere(`f:${nested(maxDepth + 1, '(', ')')}`), { position: 2 + maxDepth })
  parseWhere(`${'+'.repeat(maxCharacters - 1)}a`)
  parseWhere('😀'.repeat(maxCharacters))
  assert.throws(() => parseWhere('a'.repeat(maxCharacters + 1)), { code: 'syntax', position: maxCharacters })
  assert.throws(() => parseWhere('a '.repeat(10_000_000)), { code: 'syntax' })
  for (const piece of ['a ', '-', '"" ', '(a)', ':', '$', 'f:[', '\\\\', '* ', 'a:*', 'NOT ', '& ', ' ']) {
    const text = piece.repeat(maxCharacters / piece.length)
    try {
      parseWhere(text)
    } catch (error) {
      assert.ok(error instanceof WhereError)
    }
  }
})
