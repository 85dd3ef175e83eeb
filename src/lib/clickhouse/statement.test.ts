import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { quoteIdentifier, quoteString } from './identifiers.ts'
import { describeStatement, type Statement } from './statement.ts'

function check(sql: string, expected: Partial<Statement>): void {
  const actual: Partial<Record<string, unknown>> = { ...describeStatement(sql) }
  for (const [name, value] of Object.entries(expected))
    assert.deepEqual(actual[name], value, `${name} of ${sql}`)
}

const formatOf = (sql: string) => describeStatement(sql).format

test('reads', () => {
  const selects = [
    'SELECT 1',
    'select*from t',
    '-- c\n/* d */ SELECT 1',
    '((SELECT 1) UNION ALL (SELECT 2))',
    'WITH x AS (SELECT 1) SELECT * FROM x',
    'WITH 1 AS insert, 2 AS into SELECT insert',
    'WITH insert AS (SELECT 1) SELECT * FROM insert',
    "WITH 'select; insert into' AS a, [1] AS b FROM numbers(1) SELECT a",
    '(WITH RECURSIVE t AS (SELECT 1) SELECT * FROM t)',
    'FROM t SELECT a',
  ]
  for (const sql of selects) check(sql, { kind: 'read', verb: 'SELECT', changesCatalog: false, insert: null })
  check('SHOW CREATE TABLE t', { kind: 'read', verb: 'SHOW', temporary: false })
  check('SHOW CREATE TEMPORARY TABLE t', { kind: 'read', verb: 'SHOW', temporary: true })
  check('DESC t', { kind: 'read', verb: 'DESCRIBE' })
  check('DESCRIBE TABLE t', { kind: 'read', verb: 'DESCRIBE' })
  check('EXISTS TABLE t', { kind: 'read', verb: 'EXISTS' })
  check('EXPLAIN SYNTAX DROP TABLE t', { kind: 'read', verb: 'EXPLAIN' })
  check('EXPLAIN INSERT INTO t SELECT 1', { kind: 'read', insert: null })
  check('CHECK GRANT SELECT ON t', { kind: 'read', verb: 'CHECK GRANT' })
})

test('what changes something, and whether others see it in the catalog', () => {
  const catalog: [string, string][] = [
    ['CREATE TABLE t (a Int8) ENGINE = Memory', 'CREATE TABLE'],
    ['create or replace table t as select 1', 'CREATE TABLE'],
    ['REPLACE TABLE t (a Int8)', 'REPLACE TABLE'],
    ['CREATE MATERIALIZED VIEW v TO t AS SELECT 1', 'CREATE MATERIALIZED VIEW'],
    ['CREATE NAMED COLLECTION c AS a = 1', 'CREATE NAMED COLLECTION'],
    ['CREATE FUNCTION f AS x -> x', 'CREATE FUNCTION'],
    ['ALTER TABLE t ADD COLUMN b Int8', 'ALTER TABLE'],
    ['DROP DICTIONARY d', 'DROP DICTIONARY'],
    ['DROP DATABASE d', 'DROP DATABASE'],
    ['RENAME TABLE a TO b', 'RENAME TABLE'],
    ['RENAME a TO b', 'RENAME'],
    ['EXCHANGE TABLES a AND b', 'EXCHANGE TABLES'],
    ['TRUNCATE t', 'TRUNCATE'],
    ['TRUNCATE ALL TABLES FROM d', 'TRUNCATE TABLES'],
    ["ATTACH TABLE t FROM 'x' (a Int8)", 'ATTACH TABLE'],
    ['DETACH TABLE t SYNC', 'DETACH TABLE'],
    ['UNDROP TABLE t', 'UNDROP TABLE'],
    ["RESTORE TABLE t FROM Disk('b', '1')", 'RESTORE'],
  ]
  for (const [sql, verb] of catalog) check(sql, { kind: 'ddl', verb, changesCatalog: true, temporary: false })
  const others: [string, string][] = [
    ['OPTIMIZE TABLE t FINAL', 'OPTIMIZE'],
    ['DELETE FROM t WHERE a', 'DELETE'],
    ['UPDATE t SET a = 1 WHERE b', 'UPDATE'],
    ['SYSTEM FLUSH LOGS', 'SYSTEM'],
    ['CHECK TABLE t', 'CHECK'],
    ['GRANT SELECT ON t TO u', 'GRANT'],
    ['REVOKE SELECT ON t FROM u', 'REVOKE'],
    ["BACKUP TABLE t TO Disk('b', '1')", 'BACKUP'],
    ['MOVE USER u TO s', 'MOVE'],
    ['COPY t TO STDOUT', 'COPY'],
    ["CREATE USER u IDENTIFIED BY 'x'", 'CREATE USER'],
    ['ALTER SETTINGS PROFILE p', 'ALTER SETTINGS PROFILE'],
    ['DROP ROW POLICY p ON t', 'DROP ROW POLICY'],
    ['SET DEFAULT ROLE r TO u', 'SET DEFAULT ROLE'],
  ]
  for (const [sql, verb] of others) check(sql, { kind: 'ddl', verb, changesCatalog: false })
})

test('temporary tables belong to a session, not to the catalog', () => {
  for (const sql of [
    'CREATE TEMPORARY TABLE t (a Int8)',
    'CREATE OR REPLACE TEMPORARY TABLE t AS SELECT 1',
  ]) {
    check(sql, { kind: 'ddl', verb: 'CREATE TABLE', temporary: true, changesCatalog: false })
  }
  check('DROP TEMPORARY TABLE t', { verb: 'DROP TABLE', temporary: true, changesCatalog: false })
  check('CREATE TABLE temporary (a Int8)', { temporary: false, changesCatalog: true })
})

test('what is not known may change anything', () => {
  const texts = [
    'EXECUTE AS u SELECT 1',
    'VALUES (1)',
    '1 + 1',
    "'SELECT'",
    '`SELECT` 1',
    '(DROP TABLE t)',
    '/* open',
    'é',
    'SELEC 1',
  ]
  for (const sql of texts) check(sql, { kind: 'unknown', verb: 'UNKNOWN', changesCatalog: true })
  check('(WITH x AS (SELECT 1) INSERT INTO t SELECT 1)', { kind: 'unknown' })
  check('WITH x AS (SELECT 1)', { kind: 'unknown' })
})

test('statements that run others beside themselves count as what they may hold', () => {
  check('SELECT 1 PARALLEL WITH DROP TABLE t', { kind: 'ddl', changesCatalog: true })
  check('SELECT 1 parallel/**/with (drop table t)', { kind: 'ddl', changesCatalog: true })
  check('SELECT parallel FROM t GROUP BY parallel WITH TOTALS', { kind: 'read', changesCatalog: false })
  check("SELECT 'PARALLEL WITH DROP TABLE t'", { kind: 'read' })
})

test('sessions', () => {
  check('USE db', { kind: 'session', verb: 'USE', databaseOfUse: 'db' })
  check('use database `a b`;', { databaseOfUse: 'a b' })
  check('USE lake.schema', { databaseOfUse: 'lake.schema' })
  for (const sql of ['USE', 'USE {db:Identifier}', 'USE a b', 'USE 1'])
    check(sql, { kind: 'session', databaseOfUse: null })
  check("SET a = 1, b.c = 'x, y', d=-1.5, e", {
    kind: 'session',
    verb: 'SET',
    settings: [
      { name: 'a', literal: '1' },
      { name: 'b.c', literal: "'x, y'" },
      { name: 'd', literal: '-1.5' },
      { name: 'e', literal: '1' },
    ],
  })
  check("SET param_x = [1, (2, 'a')], m = {'k': 'v'}, `q` = DEFAULT -- end", {
    settings: [
      { name: 'param_x', literal: "[1, (2, 'a')]" },
      { name: 'm', literal: "{'k': 'v'}" },
      { name: 'q', literal: 'DEFAULT' },
    ],
  })
  check("SET TIME ZONE 'UTC'", { settings: [{ name: 'session_timezone', literal: "'UTC'" }] })
  for (const sql of [
    'SET',
    'SET a = ',
    'SET a = 1 b',
    'SET a = [1',
    'SET TRANSACTION SNAPSHOT 5',
    'SET a = 1,',
    'SET a = ;',
  ]) {
    check(sql, { kind: 'session', settings: [] })
  }
  check('SET ROLE r', { kind: 'session', verb: 'SET ROLE', settings: [] })
  for (const sql of ['BEGIN TRANSACTION', 'START TRANSACTION', 'COMMIT', 'ROLLBACK'])
    check(sql, { kind: 'session' })
})

test('kills', () => {
  check("KILL QUERY WHERE query_id = 'x' SYNC", { kind: 'kill', kills: 'query', verb: 'KILL QUERY' })
  check('kill mutation WHERE 1', { kind: 'kill', kills: 'mutation' })
  check('KILL TRANSACTION WHERE tid = 1', { kind: 'kill', kills: 'other' })
  check('SELECT 1', { kills: null })
})

test('the FORMAT clause is the one at the end, outside of brackets', () => {
  assert.equal(formatOf('SELECT 1 FORMAT JSON'), 'JSON')
  assert.equal(formatOf('SELECT 1 format `JSON` ;'), 'JSON')
  assert.equal(formatOf('SELECT * FORMAT CSV -- FORMAT TSV'), 'CSV')
  assert.equal(formatOf("SELECT 1 FORMAT JSON SETTINGS a = 'FORMAT CSV', b = 2"), 'JSON')
  assert.equal(formatOf('SELECT 1 SETTINGS a = 1 FORMAT JSON'), 'JSON')
  assert.equal(formatOf('(SELECT 1) UNION ALL (SELECT 2) FORMAT TSV'), 'TSV')
  assert.equal(formatOf('SELECT a FROM t ORDER BY a DESC FORMAT TSV'), 'TSV')
  assert.equal(formatOf('SELECT a FROM t GROUP BY ALL FORMAT TSV'), 'TSV')
  assert.equal(formatOf('SELECT 1 AS format FORMAT JSON'), 'JSON')
  assert.equal(formatOf('DESCRIBE format FORMAT JSON'), 'JSON')
  assert.equal(formatOf('EXPLAIN INSERT INTO t SELECT 1 FORMAT TSV FORMAT JSON'), 'JSON')
  assert.equal(formatOf('SELECT 1 FORMAT JSON; SELECT 2 FORMAT CSV'), 'JSON')
  assert.equal(formatOf('SHOW TABLES FORMAT /* x */ JSON'), 'JSON')
})

test('what is called "format" is not the clause', () => {
  const without = [
    'SELECT 1',
    'SELECT format FROM t',
    'SELECT a AS format',
    'SELECT format, b FROM format',
    'SELECT a FROM t ORDER BY format DESC',
    'SELECT a FROM t ORDER BY b, format DESC',
    'SELECT a FROM t WHERE format = 1',
    'SELECT t.format x FROM t',
    'SELECT * FROM format f',
    'SELECT CASE WHEN a THEN b ELSE format END',
    "SELECT 'x FORMAT JSON'",
    'SELECT 1 AS `FORMAT JSON`',
    'SELECT $$ FORMAT JSON$$',
    'SELECT * FROM (SELECT 1 FORMAT JSON)',
    'SELECT * FROM (SELECT 1 FORMAT JSON SETTINGS a = 1)',
    "SELECT format('{}', x)",
    'SELECT 1 FORMAT',
    "SELECT 1 FORMAT 'JSON'",
    'SELECT 1 FORMAT JSON 5',
    'SELECT 1; SELECT 2 FORMAT JSON',
  ]
  for (const sql of without) assert.equal(formatOf(sql), null, sql)
})

test('files are seen wherever they are, and only there', () => {
  check("SELECT 1 INTO OUTFILE 'x' FORMAT CSV", { writesFile: true, format: 'CSV' })
  check('SELECT 1 INTO/**/OUTFILE $$x$$', { writesFile: true })
  check("SELECT 1; (SELECT 2 INTO OUTFILE 'x')", { writesFile: true })
  check("SELECT “'” INTO OUTFILE 'x'", { writesFile: true })
  check("SELECT ‘'’ INTO OUTFILE ‘x’", { writesFile: true })
  check("SELECT a.1e--5'\nINTO OUTFILE 'x'", { writesFile: true })
  check("SELECT 1 format INTO OUTFILE 'x'", { writesFile: true })
  check("INSERT INTO t FROM INFILE 'x' FORMAT CSV", { readsFile: true, format: 'CSV' })
  check("INSERT INTO outfile SELECT 'x' FROM infile", { readsFile: false, writesFile: false })
  check("SELECT 'INTO OUTFILE ''x''' AS into", { writesFile: false })
})

test('inserts', () => {
  check('INSERT INTO t (a) VALUES (1); DROP TABLE t', {
    kind: 'insert',
    verb: 'INSERT',
    statements: 1,
    format: null,
  })
  const sql = 'INSERT INTO t FORMAT CSV\n1;2;3 -- x'
  check(sql, { kind: 'insert', statements: 1, format: 'CSV', bodyEnd: sql.length })
  check('INSERT INTO t SELECT 1; DROP TABLE t', { kind: 'insert', statements: 2, bodyEnd: 22 })
  check('WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x', { kind: 'insert' })
  check('WITH 1 AS select INSERT INTO t SELECT select', { kind: 'insert' })
  for (const wrong of ['INSERT t VALUES (1)', 'INSERT INTO t; DROP TABLE t', 'INSERT'])
    check(wrong, { kind: 'insert', insert: null })
  check('INSERT INTO t; DROP TABLE t', { statements: 2 })
})

test('statements are counted, and the first one ends before what follows it', () => {
  const counted: [string, number, number][] = [
    ['', 0, 0],
    [' -- nothing\n ; ; ', 0, 0],
    ['SELECT 1', 1, 8],
    ['SELECT 1 ; -- end\n', 1, 8],
    ['SELECT 1 -- c', 1, 8],
    ['SELECT 1; ; SELECT 2', 2, 8],
    ["SELECT ';'; SELECT 2; SELECT 3", 3, 10],
    ['; SELECT 1', 1, 10],
    ["SELECT 1; 'open", 2, 8],
    ["SELECT 'open ; x", 1, 16],
    ['SELECT (1; 2)', 2, 9],
    ["SELECT * FROM input('a Int8') FORMAT CSV; DROP TABLE t", 2, 40],
  ]
  for (const [sql, statements, bodyEnd] of counted) check(sql, { statements, bodyEnd })
  check(' ; ', { kind: 'empty', verb: '' })
})

const gap = fc.constantFrom(
  ' ',
  '\n',
  ' /* FORMAT x; */ ',
  " -- it's INTO OUTFILE 'x';\n",
  "\t# ; '\n",
  '\u00a0',
  ' // "\n',
)
const trap = fc
  .array(
    fc.constantFrom(
      '; DROP TABLE t; ',
      ' FORMAT CSV',
      " INTO OUTFILE 'x' ",
      'a',
      '\\',
      "'",
      '"',
      '`',
      '--',
      '/*',
      '$$',
      'é',
    ),
  )
  .map((parts) => parts.join(''))
const hidden = fc.oneof(
  trap.map(quoteString),
  trap.map((text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`),
  trap.map((text) => `$end$${text}$end$`),
  trap.map((text) => `a AS ${quoteIdentifier(text)}`),
  trap.map((text) => `a AS "${text.replaceAll('\\', '\\\\').replaceAll('"', '""')}"`),
  trap.map((text) => `/*${text.replace(/[/*]/g, ' ')}*/ 1`),
  trap.map((text) => `1 --${text}\n`),
)

test('nothing that is quoted or in a comment is taken for SQL', () => {
  fc.assert(
    fc.property(fc.array(hidden, { minLength: 1 }), (items) => {
      check(`SELECT ${items.join(', ')}`, { kind: 'read', statements: 1, format: null, writesFile: false })
      check(`SELECT ${items.join(', ')}\nFORMAT JSON;`, { kind: 'read', statements: 1, format: 'JSON' })
    }),
    { numRuns: 1000 },
  )
})

test('comments between any two tokens change nothing', () => {
  const samples: [string[], Partial<Statement>][] = [
    [
      ['SELECT', 'a', ',', 'f', '(', 'b', ')', 'FROM', 't', 'FORMAT', 'JSON', ';'],
      { kind: 'read', format: 'JSON', statements: 1 },
    ],
    [['(', 'SELECT', '1', ')', 'UNION', 'ALL', '(', 'SELECT', '2', ')'], { kind: 'read', format: null }],
    [
      ['WITH', 'x', 'AS', '(', 'SELECT', '1', ')', 'INSERT', 'INTO', 't', 'SELECT', '*', 'FROM', 'x'],
      { kind: 'insert' },
    ],
    [
      ['CREATE', 'TEMPORARY', 'TABLE', 't', '(', 'a', 'Int8', ')'],
      { kind: 'ddl', verb: 'CREATE TABLE', temporary: true },
    ],
    [
      ['SET', 'a', '=', '1', ';', ';'],
      { kind: 'session', settings: [{ name: 'a', literal: '1' }], statements: 1 },
    ],
    [['USE', 'db'], { kind: 'session', databaseOfUse: 'db' }],
    [['SELECT', '1', 'INTO', 'OUTFILE', "'x'"], { writesFile: true }],
    [['SELECT', '1', ';', 'DROP', 'TABLE', 't'], { kind: 'read', statements: 2 }],
  ]
  fc.assert(
    fc.property(
      fc.constantFrom(...samples),
      fc.array(gap, { minLength: 20, maxLength: 20 }),
      ([parts, expected], gaps) => {
        check(gaps[19] + parts.map((part, i) => part + gaps[i]).join(''), expected)
      },
    ),
    { numRuns: 1000 },
  )
})

test('any text is described, within its bounds', () => {
  const word = fc.constantFrom(
    'SELECT',
    'INSERT',
    'INTO',
    'WITH',
    'FORMAT',
    'SET',
    'USE',
    'VALUES',
    'SETTINGS',
    'FUNCTION',
    'PARTITION',
    'BY',
  )
  const mark = fc.constantFrom(...'(){}[],;=.\'"`$*-+/ \n', '--', '/*', '$$', '1', 'x')
  const text = fc.array(fc.oneof(word, mark, fc.string({ unit: 'binary', maxLength: 3 })), { maxLength: 30 })
  fc.assert(
    fc.property(text, fc.constantFrom('', ' '), (parts, separator) => {
      const sql = parts.join(separator)
      const { bodyEnd, statements, kind, insert } = describeStatement(sql)
      assert.ok(bodyEnd >= 0 && bodyEnd <= sql.length)
      assert.equal(statements === 0, kind === 'empty')
      if (insert !== null) assert.ok(insert.dataStart <= sql.length && insert.sourceStart <= sql.length)
    }),
    { numRuns: 3000 },
  )
})
