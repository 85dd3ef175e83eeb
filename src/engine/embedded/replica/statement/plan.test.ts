import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readInsertHeader } from '../../../../lib/clickhouse/insert-header.ts'
import { EngineError } from '../../engine-error.ts'
import { readParameters } from '../http/parameters.ts'
import { planWork } from './plan.ts'

const parameters = (search = '', method = 'POST') =>
  readParameters({
    method,
    search,
    headers: { 'x-granary-session': search.includes('session') ? 'a:b:c' : '' },
  })
const plan = (sql: string, search = '', method = 'POST') =>
  planWork({ is: 'statement', sql }, parameters(search, method))
const hasCode = (code: number) => (error: unknown) => error instanceof EngineError && error.code === code

function planInsert(sql: string, rest: boolean, search = '', method = 'POST') {
  const result = readInsertHeader(sql, true)
  assert.equal(result.state, 'ok')
  if (result.state !== 'ok') throw new Error('no insert')
  const bytes = Buffer.from(sql.slice(result.header.dataStart))
  const data = { bytes, rest: rest ? process.stdin : null }
  return planWork(
    { is: 'insert', text: sql, header: result.header, data, encoding: null },
    parameters(search, method),
  )
}

test('each statement goes its way', () => {
  const ways = {
    'SELECT 1': 'read',
    'WITH 1 AS x SELECT x': 'read',
    'SHOW TABLES': 'read',
    'EXPLAIN SELECT 1': 'read',
    "KILL QUERY WHERE query_id = 'x'": 'kill',
    "KILL MUTATION WHERE mutation_id = 'x'": 'whole',
    'CREATE TABLE t (a Int8) ENGINE = Memory': 'whole',
    'INSERT INTO t SELECT 1': 'copy',
    'SET a = 1': 'whole',
  }
  for (const [sql, way] of Object.entries(ways)) assert.equal(plan(sql).way, way, sql)
})

test('a connection is used again only where a statement leaves nothing in it', () => {
  const clean = [
    'SELECT 1',
    'DROP TABLE t',
    'INSERT INTO t SELECT 1',
    'CREATE TABLE t (a Int8) ENGINE = Memory',
  ]
  const dirty = ['SET a = 1', 'USE d', 'CREATE TEMPORARY TABLE t (a Int8)', 'SET ROLE r']
  for (const sql of clean) assert.equal(plan(sql).leavesNothing, true, sql)
  for (const sql of dirty) assert.equal(plan(sql).leavesNothing, false, sql)
})

test('what begins with nothing that a server knows is a syntax error', () => {
  const texts = [
    'exit',
    ' quit; ',
    '(exit)',
    'help',
    'SELEKT 1 FORMAT JSON',
    '\\i /etc/passwd',
    ';\\i /etc/passwd',
  ]
  const others = [
    '\\ INSERT INTO t VALUES (1)',
    "'abc INSERT INTO t",
    '!SELECT 1',
    '?? x',
    '/help',
    '.t',
    '@x',
    '1 + 1',
  ]
  for (const sql of [...texts, ...others]) assert.throws(() => plan(sql), hasCode(62), sql)
  // The error message quotes the text.
  assert.throws(() => plan(' SELEKT 1'), /failed at position 2 \(SELEKT\): SELEKT 1/)
})

test('a structure is a list of columns and nothing else', () => {
  const texts = ['a String); SELECT 1; CREATE TEMPORARY TABLE z (a String', 'a String DEFAULT now()', 'a']
  for (const text of texts) {
    const sql = `INSERT INTO t SELECT * FROM input('${text}') FORMAT CSV\n1`
    assert.throws(() => planInsert(sql, false), hasCode(62), text)
  }
})

test('the format of the statement comes before that of the request', () => {
  assert.equal(plan('SELECT 1').format, 'TabSeparated')
  assert.equal(plan('SELECT 1', 'default_format=CSV').format, 'CSV')
  assert.equal(plan('SELECT 1 FORMAT JSON', 'default_format=CSV').format, 'JSON')
  assert.throws(() => plan('SELECT 1', 'default_format=CSV;x'), hasCode(73))
})

test('what a server refuses is refused', () => {
  assert.throws(() => plan(''), hasCode(62))
  assert.throws(() => plan(' -- nothing'), hasCode(62))
  assert.throws(() => plan('SELECT 1; SELECT 2'), hasCode(62))
  assert.throws(() => plan("SELECT 1 INTO OUTFILE 'x'"), hasCode(358))
  assert.throws(() => plan("INSERT INTO t FROM INFILE 'x' FORMAT CSV"), hasCode(78))
  assert.throws(() => plan("SELECT file('x')"), hasCode(497))
  // The engine cannot make a session read-only for one request.
  assert.throws(() => plan('DROP TABLE t', 'session_id=s', 'GET'), hasCode(164))
  assert.throws(() => planInsert('INSERT INTO t FORMAT CSV 1', false, 'session_id=s', 'GET'), hasCode(164))
  assert.throws(() => planInsert('INSERT INTO t FORMAT CSV;\n1', false), hasCode(62))
})

test('expressions in VALUES are evaluated only when they were looked at', () => {
  const small = planInsert('INSERT INTO t VALUES (now())', false)
  assert.match(small.args.join(), /interpret_expressions=1/)
  assert.deepEqual(planInsert('INSERT INTO t VALUES (now())', true).args, [])
  assert.deepEqual(planInsert('INSERT INTO t FORMAT CSV\n1', false).args, [])
  assert.throws(() => planInsert("INSERT INTO t VALUES (file('/etc/passwd'))", false), hasCode(497))
  assert.throws(() => planInsert("INSERT INTO t VALUES (`fi\\x6ce`('/etc/passwd'))", false), hasCode(497))
  assert.throws(() => planInsert("INSERT INTO FUNCTION file('/x', CSV) FORMAT CSV\n1", false), hasCode(497))
})

test('the data of input(…) becomes a table first', () => {
  const done = planInsert(
    "INSERT INTO t (a) SELECT x + 1 FROM input('x Int8') WHERE x > 1 FORMAT CSV\n1",
    false,
  )
  assert.equal(done.way, 'input')
  if (done.way !== 'input') return
  assert.deepEqual(done.table, { name: '_granary_input', structure: '`x` Int8', format: 'CSV' })
  assert.equal(done.sql.trim(), 'INSERT INTO t (a) SELECT x + 1 FROM `_granary_input` WHERE x > 1')
  assert.equal(done.leavesNothing, false)
})
