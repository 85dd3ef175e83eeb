import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readInsertHeader } from '../../../../lib/clickhouse/insert-header.ts'
import { describeStatement } from '../../../../lib/clickhouse/statement.ts'
import { insertFromFile, isExplainAst, withOutfile } from './rewrite.ts'

const out = (sql: string) =>
  withOutfile(sql, describeStatement(sql), { path: '/p', format: 'CSV', encoding: null }).replace('\n', ' ')
const clause = "INTO OUTFILE '/p' TRUNCATE"

test('a result goes to a file', () => {
  assert.equal(out('SELECT 1'), `SELECT 1 ${clause} FORMAT CSV`)
  assert.equal(out('SELECT 1;'), `SELECT 1 ${clause} FORMAT CSV`)
  assert.equal(out('SELECT 1 -- end'), `SELECT 1 ${clause} FORMAT CSV`)
  assert.equal(out('SELECT 1 FORMAT JSON'), `SELECT 1 ${clause} FORMAT JSON`)
  assert.equal(out('SELECT 1 FORMAT JSON SETTINGS a = 1 ; '), `SELECT 1 ${clause} FORMAT JSON SETTINGS a = 1`)
  assert.equal(out(';SELECT format FROM t'), `;SELECT format FROM t ${clause} FORMAT CSV`)
  const sql = 'SELECT 1'
  const packed = withOutfile(sql, describeStatement(sql), { path: "/a'b", format: 'CSV', encoding: 'lz4' })
  assert.equal(packed, "SELECT 1\nINTO OUTFILE '/a\\'b' TRUNCATE COMPRESSION 'lz4' FORMAT CSV")
})

test('data comes from a file', () => {
  const insert = (sql: string) => {
    const result = readInsertHeader(sql, true)
    assert.equal(result.state, 'ok')
    return result.state === 'ok' ? insertFromFile(result.header, { path: '/p', encoding: null }) : ''
  }
  const infile = "FROM INFILE '/p' COMPRESSION 'none'"
  assert.equal(insert('INSERT INTO d.t FORMAT CSV\n1'), `INSERT INTO d.t ${infile} FORMAT CSV`)
  assert.equal(insert('INSERT INTO t (a, b) VALUES (1)'), `INSERT INTO t (a, b) ${infile} FORMAT Values`)
  assert.equal(
    insert("INSERT INTO TABLE t SETTINGS x = 1, y = 'z' FORMAT Native "),
    `INSERT INTO t ${infile} SETTINGS x = 1, y = 'z' FORMAT Native`,
  )
})

test('EXPLAIN AST is told from what it explains', () => {
  for (const sql of ['EXPLAIN AST SELECT 1', '; explain /**/ ast graph = 1 SELECT 1']) {
    assert.equal(isExplainAst(sql), true, sql)
  }
  for (const sql of ['EXPLAIN SELECT ast', 'SELECT explain, ast', 'EXPLAIN SYNTAX SELECT 1']) {
    assert.equal(isExplainAst(sql), false, sql)
  }
})
