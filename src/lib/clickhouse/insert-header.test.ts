import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type InsertHeader, readInsertHeader } from './insert-header.ts'

function header(text: string): InsertHeader {
  const result = readInsertHeader(text, true)
  assert.ok(result.state === 'ok', `${result.state}: ${text}`)
  return result.header
}

/** The header's fields that matter to the case, and the data as the engine would see it. */
function check(text: string, expected: Partial<InsertHeader> & { data?: string }): void {
  const actual = header(text)
  const { data = undefined, ...fields } = expected
  if (data !== undefined) assert.equal(text.slice(actual.dataStart), data, text)
  for (const [name, value] of Object.entries(fields)) {
    assert.equal((actual as unknown as Record<string, unknown>)[name], value, `${name} of ${text}`)
  }
}

test('target, columns, settings and format', () => {
  assert.deepEqual(
    header('INSERT INTO db.t (a, b) SETTINGS x = 1, y = \'FORMAT z\' FORMAT JSONEachRow\n{"a":1}'),
    {
      with: '',
      target: 'db.t',
      columns: 'a, b',
      partitionBy: '',
      settings: "x = 1, y = 'FORMAT z'",
      source: 'data',
      select: '',
      format: 'JSONEachRow',
      hasFormatClause: true,
      sourceStart: 55,
      dataStart: 74,
      hasSemicolonBeforeData: false,
    },
  )
  check('insert into table `a b` . "c" values (1)', {
    target: '`a b` . "c"',
    columns: '',
    format: 'Values',
    data: '(1)',
  })
  check('INSERT INTO t(a)VALUES(1)', { target: 't', columns: 'a', hasFormatClause: false, data: '(1)' })
  check('INSERT INTO {db:Identifier}.{t:Identifier} FORMAT CSV 1', {
    target: '{db:Identifier}.{t:Identifier}',
    data: '1',
  })
  check('INSERT INTO values VALUES (1)', { target: 'values', data: '(1)' })
  check('INSERT INTO t (* EXCEPT(a, b)) VALUES (1)', { columns: '* EXCEPT(a, b)', data: '(1)' })
  check('INSERT INTO t (`)`, b /* ) */) VALUES (1)', { columns: '`)`, b', data: '(1)' })
  check('INSERT INTO t (a -- ) \n) FORMAT `CSV`\n1', { columns: 'a', format: 'CSV', data: '1' })
  check('INSERT INTO t SETTINGS a FORMAT CSV\n1', { settings: 'a', format: 'CSV', data: '1' })
  check("INSERT INTO t SETTINGS a={'k':'v'}, b=disk(type='x'), c=[1,2] VALUES (1)", {
    settings: "a={'k':'v'}, b=disk(type='x'), c=[1,2]",
    data: '(1)',
  })
  check('/* a */ -- b\nINSERT/**/INTO t--\nFORMAT /* c */ TSV\n1', { target: 't', format: 'TSV', data: '1' })
})

test('data starts after the spaces and one line feed that follow the format', () => {
  check('INSERT INTO t FORMAT CSV 1', { data: '1' })
  check('INSERT INTO t FORMAT CSV \t\f\n1', { data: '1' })
  check('INSERT INTO t FORMAT CSV\r\n1', { data: '1' })
  check('INSERT INTO t FORMAT CSV\n\n 1', { data: '\n 1' })
  check('INSERT INTO t FORMAT CSV -- not a comment\n', { data: '-- not a comment\n' })
  check('INSERT INTO t FORMAT CSV\n', { data: '' })
  check('INSERT INTO t FORMAT CSV', { data: '' })
  check("INSERT INTO t FORMAT RowBinary\n'\\\0\xff", { data: "'\\\0\xff" })
  check('INSERT INTO t FORMAT CSV SETTINGS a = 1\n1', { settings: '', data: 'SETTINGS a = 1\n1' })
  check('INSERT INTO t FORMAT CSV;\n1', { hasSemicolonBeforeData: true })
  check('INSERT INTO t FORMAT CSV ;\n1', { hasSemicolonBeforeData: false, data: ';\n1' })
})

test('data of VALUES starts with its first token', () => {
  check('INSERT INTO t VALUES\n /* c */ (1), (2)', { data: '(1), (2)' })
  check('INSERT INTO t VALUES', { format: 'Values', data: '' })
  check('INSERT INTO t VALUES ;', { data: ';' })
  check('INSERT INTO t (a, b)', {
    format: 'Values',
    hasFormatClause: false,
    columns: 'a, b',
    data: '',
    source: 'data',
  })
  check('INSERT INTO t -- no data', { target: 't', data: '' })
})

test('table functions', () => {
  check("INSERT INTO FUNCTION s3('u', 'CSV') PARTITION BY a % 10 (a, b) VALUES (1)", {
    target: "FUNCTION s3('u', 'CSV')",
    partitionBy: 'a % 10',
    columns: 'a, b',
    data: '(1)',
  })
  check("INSERT INTO TABLE FUNCTION file('(') (a) FORMAT CSV\n1", {
    target: "FUNCTION file('(')",
    columns: 'a',
    data: '1',
  })
  check('INSERT INTO FUNCTION f() PARTITION BY (a, g(b)) (c) SELECT 1', {
    partitionBy: '(a, g(b))',
    columns: 'c',
    select: 'SELECT 1',
  })
  check('INSERT INTO FUNCTION f() PARTITION BY rand() % 2 FORMAT CSV\n1', {
    partitionBy: 'rand() % 2',
    columns: '',
    data: '1',
  })
})

test('a SELECT has no data', () => {
  check('INSERT INTO t SELECT 1', {
    source: 'select',
    dataStart: -1,
    select: 'SELECT 1',
    format: '',
    columns: '',
  })
  check('INSERT INTO t (a) WITH 1 AS x SELECT x -- c', { columns: 'a', select: 'WITH 1 AS x SELECT x' })
  check('INSERT INTO t (SELECT 1) UNION ALL (SELECT 2);', {
    columns: '',
    select: '(SELECT 1) UNION ALL (SELECT 2)',
  })
  check('INSERT INTO t ((SELECT 1))', { columns: '', select: '((SELECT 1))' })
  check('INSERT INTO t (a) (SELECT 1)', { columns: 'a', select: '(SELECT 1)' })
  check('INSERT INTO t (select, from) SELECT 1, 2', { columns: 'select, from', select: 'SELECT 1, 2' })
  check('INSERT INTO t FROM s SELECT a', { source: 'select', select: 'FROM s SELECT a' })
  check('INSERT INTO t SETTINGS a = 1 SELECT 1', { settings: 'a = 1', select: 'SELECT 1' })
  check('INSERT INTO t SETTINGS a = true (SELECT 1)', { settings: 'a = true', select: '(SELECT 1)' })
  check('INSERT INTO t SELECT 1 -- c\nFORMAT JSON', {
    source: 'select',
    select: 'SELECT 1',
    format: 'JSON',
    hasFormatClause: true,
    dataStart: -1,
  })
  check('WITH x AS (SELECT 1) -- c\nINSERT INTO t SELECT * FROM x', {
    with: 'WITH x AS (SELECT 1)',
    target: 't',
    select: 'SELECT * FROM x',
  })
})

test('a SELECT from input() has data after its FORMAT clause', () => {
  check("INSERT INTO t SELECT format, a FROM input('format String, a Int8') FORMAT CSV\n'x;\"", {
    source: 'input',
    select: "SELECT format, a FROM input('format String, a Int8')",
    format: 'CSV',
    data: '\'x;"',
  })
  check("INSERT INTO t SELECT * FROM (SELECT * FROM INPUT('a Int8')) ORDER BY a FORMAT TSV 1", {
    source: 'input',
    data: '1',
  })
  check("INSERT INTO t SELECT * FROM input('a Int8')", { source: 'select', dataStart: -1 })
})

test('files', () => {
  check("INSERT INTO t (a) FROM INFILE 'x' COMPRESSION 'gzip' FORMAT CSV", {
    source: 'infile',
    format: 'CSV',
    dataStart: -1,
  })
  check("INSERT INTO t FROM INFILE 'x'", { source: 'infile', format: '', hasFormatClause: false })
})

test('what the engine would not understand is not read as an INSERT', () => {
  const others = [
    '',
    ' -- c',
    'SELECT 1',
    'INSERT',
    'INSERT t VALUES (1)',
    'INSERT INTO',
    'INSERT INTO t FORMAT',
    '`INSERT` INTO t',
  ]
  const wrong = [
    'INSERT INTO t a',
    'INSERT INTO a.b.c VALUES (1)',
    'INSERT INTO t (a VALUES 1',
    'INSERT INTO t; x',
    'INSERT INTO t (a) b',
  ]
  const more = [
    'INSERT INTO FUNCTION f VALUES (1)',
    'INSERT INTO t SETTINGS FORMAT CSV 1',
    "INSERT INTO 't' VALUES (1)",
    'EXPLAIN INSERT INTO t VALUES (1)',
  ]
  for (const text of [
    ...others,
    ...wrong,
    ...more,
    'WITH x AS (SELECT 1) SELECT 1',
    ';INSERT INTO t VALUES (1)',
  ]) {
    assert.deepEqual(readInsertHeader(text, true), { state: 'not-insert' }, text)
  }
})

test('more text is asked for only while it could change the answer', () => {
  const state = (text: string) => readInsertHeader(text, false).state
  const undecided = [
    '',
    ' ',
    'INS',
    'INSERT',
    '/* SELECT',
    '-- c',
    'INSERT INTO t',
    'INSERT INTO t (a, b)',
    'INSERT INTO t (a',
    'INSERT INTO t FORMAT CSV',
  ]
  const inside = [
    'INSERT INTO t FORMAT CSV  ',
    'INSERT INTO t FORMAT CSV\r',
    'INSERT INTO t VALUES',
    'INSERT INTO t VALUES -',
    'INSERT INTO t SELECT 1',
    'INSERT INTO t SELECT 1 FORMAT JSON ',
    "INSERT INTO t SETTINGS a = 'x FORMAT CSV\n1",
    'WITH x AS (SELECT 1) SELECT 1',
  ]
  const heredoc = ['INSERT INTO FUNCTION f($$', 'INSERT INTO t SETTINGS a = $x$ FORMAT CSV\n1']
  for (const text of [...undecided, ...inside, ...heredoc]) assert.equal(state(text), 'more', text)
  for (const text of [
    'INSERT INTO t FORMAT CSV\n',
    'INSERT INTO t FORMAT CSV 1',
    'INSERT INTO t VALUES (',
    'INSERT INTO t SELECT 1; ',
  ]) {
    assert.equal(state(text), 'ok', text)
  }
  for (const text of ['SELECT 1', 'INSERT t ', 'WITH x AS (SELECT 1) SELECT 1; '])
    assert.equal(state(text), 'not-insert', text)
})

const gap = fc.constantFrom(' ', '\n', ' /* FORMAT CSV\n */ ', " -- VALUES ('\n", '\t', '\u00a0 ')
const target = fc.constantFrom(
  't',
  'db . t',
  '`a b`.t',
  'TABLE t',
  "FUNCTION f('FORMAT CSV', (1))",
  '{t:Identifier}',
)
const columns = fc.constantFrom('', '(a)', '(a, `)`)', '(a /* ) */, b)', '(* EXCEPT(x))')
const settings = fc.constantFrom(
  '',
  'SETTINGS a = 1',
  "SETTINGS a = 'VALUES (', b = [1, 2], c",
  'SETTINGS a=$$ FORMAT $$',
)
const data = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '1,2\n', "('a;')", '\n\n', "'"))
const source = fc.oneof(
  data.map((text) => ['FORMAT', 'CSV', `\n${text}`]),
  data.map((text) => ['VALUES', `(${text})`]),
  data.map((text) => ['SELECT', '*', 'FROM', "input('a Int8')", 'FORMAT', 'TSV', `\r\n${text}`]),
  fc.constantFrom(
    ['SELECT', "';'", ';'],
    ['WITH', '1', 'AS', 'x', 'SELECT', 'x'],
    ['(', 'SELECT', '1', ')'],
    ['FROM', 'INFILE', "'x'"],
  ),
)

test('cut off anywhere, the answer is the final one or that more is needed', () => {
  fc.assert(
    fc.property(target, columns, settings, source, gap, (into, list, set, parts, space) => {
      const words = ['INSERT', 'INTO', into, list, set, ...parts.slice(0, -1)].filter((part) => part !== '')
      // No space may stand directly before the data of a format.
      const last = parts.at(-1) ?? ''
      const text = words.join(space) + (/^\r?\n/.test(last) ? '' : space) + last
      const expected = readInsertHeader(text, true)
      assert.equal(expected.state, 'ok', text)
      for (let length = 0; length <= text.length; length++) {
        const part = readInsertHeader(text.slice(0, length), false)
        if (part.state !== 'more') assert.deepEqual(part, expected, JSON.stringify(text.slice(0, length)))
      }
    }),
    { numRuns: 300 },
  )
})

test('random headers give back their parts', () => {
  fc.assert(
    fc.property(target, columns, settings, data, gap, (into, list, set, rows, space) => {
      const text = ['INSERT', 'INTO', into, list, set, 'FORMAT', 'CSV']
        .filter((part) => part !== '')
        .join(space)
      const found = header(`${text}\n${rows}`)
      assert.equal(found.target, into.replace('TABLE ', ''))
      assert.equal(found.columns, list.slice(1, -1))
      assert.equal(found.settings, set.replace('SETTINGS ', ''))
      assert.equal(found.dataStart, text.length + 1)
    }),
  )
})
