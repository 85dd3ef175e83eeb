import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { advance, createLexer, isWord, nextToken, skipGroup, type TokenKind } from './lexer.ts'

function tokens(text: string): [TokenKind, string][] {
  const lexer = createLexer(text)
  const found: [TokenKind, string][] = []
  while (nextToken(lexer) !== 'end') found.push([lexer.kind, text.slice(lexer.start, lexer.end)])
  return found
}

const meaningful = (text: string) => tokens(text).filter(([kind]) => kind !== 'space' && kind !== 'comment')
const cut = (text: string) => meaningful(text).map(([, token]) => token)
const kinds = (text: string) => tokens(text).map(([kind]) => kind)

test('words, quoted names, strings, numbers and marks are told apart', () => {
  assert.deepEqual(
    meaningful("SELECT a_1, `b``c`, \"d\\\"e\" FROM t.x WHERE s='it''s \\' ok' AND {p:UInt8}>1.5e-3"),
    [
      ['word', 'SELECT'],
      ['word', 'a_1'],
      ['punctuation', ','],
      ['identifier', '`b``c`'],
      ['punctuation', ','],
      ['identifier', '"d\\"e"'],
      ['word', 'FROM'],
      ['word', 't'],
      ['punctuation', '.'],
      ['word', 'x'],
      ['word', 'WHERE'],
      ['word', 's'],
      ['punctuation', '='],
      ['string', "'it''s \\' ok'"],
      ['word', 'AND'],
      ['punctuation', '{'],
      ['word', 'p'],
      ['punctuation', ':'],
      ['word', 'UInt8'],
      ['punctuation', '}'],
      ['punctuation', '>'],
      ['number', '1.5e-3'],
    ],
  )
})

test('comments are those of the engine', () => {
  assert.deepEqual(cut('a -- b\nc'), ['a', 'c'])
  assert.deepEqual(cut('a // b\nc'), ['a', 'c'])
  assert.deepEqual(cut('a # b\nc #! d'), ['a', 'c'])
  assert.deepEqual(cut('a #b'), ['a', '#', 'b'])
  assert.deepEqual(cut('a /* b /* c */ d */ e'), ['a', 'e'])
  assert.deepEqual(cut('a /*/ b */ c'), ['a', 'c'])
  assert.deepEqual(cut("a /* ' */ b -- '\nc"), ['a', 'b', 'c'])
  assert.deepEqual(cut('a--'), ['a'])
  assert.deepEqual(cut('a - -1->2'), ['a', '-', '-', '1', '-', '>', '2'])
})

test('numbers end where the engine ends them', () => {
  assert.deepEqual(cut('1_000.5 0x1e-5 0b101+.5 1.e3 0x1p-2'), [
    '1_000.5',
    '0x1e',
    '-',
    '5',
    '0b101',
    '+',
    '.5',
    '1.e3',
    '0x1p-2',
  ])
  // After a dot there are only whole numbers, and --5 is a comment; after an exponent it is not.
  assert.deepEqual(cut('x.1.2 x.1e--5'), ['x', '.', '1', '.', '2', 'x', '.', '1e'])
  assert.deepEqual(cut('1e--5'), ['1e-', '-', '5'])
  assert.deepEqual(cut('f(x).1 [1].2 (.3)'), [
    'f',
    '(',
    'x',
    ')',
    '.',
    '1',
    '[',
    '1',
    ']',
    '.',
    '2',
    '(',
    '.3',
    ')',
  ])
  assert.deepEqual(meaningful('1st 1e_5 1.5st db.1t'), [
    ['word', '1st'],
    ['word', '1e_5'],
    ['number', '1.5st'],
    ['word', 'db'],
    ['punctuation', '.'],
    ['word', '1t'],
  ])
})

test('strings without escapes: hexadecimal, binary, in typographic quotes', () => {
  assert.deepEqual(meaningful("x'4a' B'01' xx'1'"), [
    ['string', "x'4a'"],
    ['string', "B'01'"],
    ['word', 'xx'],
    ['string', "'1'"],
  ])
  assert.deepEqual(meaningful("x'4a\\' ;"), [['error', "x'4a\\' ;"]])
  assert.deepEqual(meaningful("‘it's \\’ “a'b” ;"), [
    ['string', "‘it's \\’"],
    ['identifier', "“a'b”"],
    ['punctuation', ';'],
  ])
})

test('heredocs have any tag, and without their end they are words', () => {
  assert.deepEqual(meaningful("$$ ; ' $$ a $q$ $$ $Q$ $q$;"), [
    ['heredoc', "$$ ; ' $$"],
    ['word', 'a'],
    ['heredoc', '$q$ $$ $Q$ $q$'],
    ['punctuation', ';'],
  ])
  assert.deepEqual(meaningful('$a b$ ; $a b$'), [['heredoc', '$a b$ ; $a b$']])
  assert.deepEqual(meaningful('$tag$ ; x'), [
    ['word', '$tag$'],
    ['punctuation', ';'],
    ['word', 'x'],
  ])
  assert.deepEqual(meaningful('a$b $ $$$'), [
    ['word', 'a$b'],
    ['punctuation', '$'],
    ['punctuation', '$'],
    ['punctuation', '$'],
    ['punctuation', '$'],
  ])
})

test('what is not closed reaches to the end', () => {
  for (const text of ["'a", '"a ; b', '`a``', "'a\\'", '/* /* */', '‘a', '“', "'\\"]) {
    assert.deepEqual(tokens(text), [['error', text]], text)
  }
  assert.deepEqual(kinds("a 'b"), ['word', 'space', 'error'])
})

test('spaces beyond ASCII are spaces, other characters are marks', () => {
  assert.deepEqual(cut('SELECT\u00a0\u3000\ufeff1\u2028é'), ['SELECT', '1', 'é'])
  assert.deepEqual(cut('\u{1f600}a').at(-1), 'a')
})

const piece = fc.oneof(
  fc.constantFrom(...'\'"`$\\/*-#!.;,(){}[]=1eExb_ \n\t', '--', '/*', '*/', '$$', '$a$', '# ', "''", "x'"),
  fc.constantFrom(
    'select',
    'FORMAT',
    '0x1F',
    '1.5e-3',
    '‘',
    '’',
    '“',
    '”',
    '\u00a0',
    'é',
    '\u{1f600}',
    '\ud800',
    '\0',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
const anyText = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))

test('the tokens of any text are the text, and only the last can be an error', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const found = tokens(text)
      assert.equal(found.map(([, token]) => token).join(''), text)
      assert.ok(found.every(([, token]) => token.length > 0))
      assert.ok(found.slice(0, -1).every(([kind]) => kind !== 'error'))
    }),
    { numRuns: 2000 },
  )
})

test('a text decoded from latin1 is cut at the same bytes', () => {
  const bytes = (text: string) => Buffer.from(text).toString('latin1')
  const part = fc.constantFrom(
    "‘it's’",
    '“a;b”',
    '\u00a0',
    '\u3000',
    "'é;'",
    '`ü`',
    '/* ö */',
    'a',
    ';',
    '1',
    '$é$;$é$',
    '‘',
  )
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const text = parts.join(' ')
      const expected = tokens(text).map(([kind, token]) => [kind, bytes(token)])
      assert.deepEqual(tokens(bytes(text)), expected)
    }),
  )
})

test('tags of heredocs that are never closed do not make long texts slow', () => {
  const text = Array.from({ length: 100_000 }, (_, i) => `$${i} `).join('')
  assert.equal(meaningful(text).length, 100_000)
})

test('a keyword is recognized in any case, but not within a name', () => {
  const first = (text: string) => {
    const lexer = createLexer(text)
    advance(lexer)
    return isWord(lexer, 'format')
  }
  assert.ok(['format', 'FORMAT', ' /* */ Format '].every(first))
  assert.ok(!['`format`', 'forma', 'formats', '"FORMAT"', "'format'", '_format'].some(first))
})

test('a group is skipped with all that it holds', () => {
  const lexer = createLexer("(a, [1, {')'}, (b)] /* ) */ ) c")
  advance(lexer)
  assert.equal(skipGroup(lexer), "(a, [1, {')'}, (b)]".length)
  assert.ok(isWord(lexer, 'c'))
  for (const text of ['((a)', '(a; b)', "(a 'b)"]) {
    const open = createLexer(text)
    advance(open)
    assert.equal(skipGroup(open), -1, text)
  }
})
