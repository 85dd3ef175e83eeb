import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from './errors.ts'
import { findForbidden, refuseForbidden } from './forbidden.ts'

const refused = [
  "SELECT file('/etc/passwd')",
  "SELECT file /* x */ -- y\n ('/etc/passwd')",
  'SELECT `file`(x)',
  'SELECT "fi\\x6ce"(x)',
  'SELECT arrayMap(x -> file(x), y)',
  'CREATE FUNCTION f AS x -> file(x)',
  "INSERT INTO FUNCTION file('x', CSV) SELECT 1",
  'CREATE TABLE t (a String DEFAULT file(a)) ENGINE = Memory',
  "CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY a SETTINGS disk = disk(type = local, path = '/x')",
  'ALTER TABLE t MODIFY SETTING disk=disk(type=local)',
  "CREATE TABLE t (a Int8) ENGINE = EmbeddedRocksDB(0, '/x') PRIMARY KEY a",
  'CREATE TABLE t (query String) ENGINE QueryRunner',
  'CREATE TABLE t (query String) engine = "QueryRunner"',
  "CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE(EXECUTABLE(COMMAND 'id')) LAYOUT(FLAT())",
  "CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE ( executable_pool (COMMAND 'id')) LAYOUT(FLAT())",
  "CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE(FILE(PATH '/x')) LAYOUT(FLAT())",
  "CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE(LIBRARY(PATH '/x.so')) LAYOUT(FLAT())",
  "CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY 'SELECT file(''/x'')')) LAYOUT(FLAT())",
  'CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY $$SELECT file(1)$$)) LAYOUT(FLAT())',
  "CREATE NAMED COLLECTION c AS query = 'SELECT file(1)'",
  'SELECT 1, file(x) FROM t',
  "CREATE DATABASE d ENGINE = Filesystem('/etc')",
  "SELECT * FROM executable('x', TSV, 'a String')",
  "BACKUP DATABASE shop TO File('x')",
  "BACKUP ALL TO `Disk`('default', 'x')",
  'RESTORE ALL FROM "fi\\x6ce"(\'x\')',
  "RESTORE DATABASE shop FROM File /* x */ ('../other')",
  "RESTORE DATABASE shop FROM S3('http://h/b/x', 'k', 's')",
  "/* x */ restore ALL FROM S3('http://h/b/x')",
  "DROP TABLE a PARALLEL WITH RESTORE TABLE b FROM S3('http://h/b/x')",
  "RESTORE TEMPORARY TABLE b FROM S3('http://h/b/x')",
  "BACKUP DATABASE shop TO S3('http://h/b/x') SETTINGS base_backup = File('x')",
  'SET readonly = DEFAULT',
  'INSERT INTO t SETTINGS max_threads = 1, `read\\x6fnly` /* x */ == /* = */ default SELECT 1',
  'SELECT * FROM (SELECT 1 SETTINGS "input_format_values_interpret_expressions"=DEFAULT)',
]

const allowed = [
  'SET max_threads = DEFAULT, readonly = 1',
  'SELECT 1',
  'SELECT file FROM t',
  "SELECT 'file(x)'",
  'SELECT "file" FROM d.file',
  'INSERT INTO file (a, b)',
  'INSERT INTO executable (a, b)',
  'INSERT INTO d.file (a, b)',
  'CREATE TABLE file (a Int8) ENGINE = Memory',
  'CREATE TABLE IF NOT EXISTS disk (a Int8) ENGINE = Memory',
  'CREATE TABLE source (file String, executable Int8) ENGINE = Memory',
  'SELECT * FROM disk WHERE disk = 1',
  "SELECT fileName, basename('x') FROM t -- file(x)",
  "CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE(CLICKHOUSE(TABLE 'source')) LAYOUT(FLAT())",
  "CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE(HTTP(URL 'http://x/file' FORMAT TSV)) LAYOUT(FLAT())",
  'CREATE TABLE t (a Int8) ENGINE = EmbeddedRocksDB PRIMARY KEY a',
  "BACKUP TABLE file TO S3('http://h/b/x')",
  'SELECT backup, restore FROM disk',
  'SELECT * FROM restore ALL INNER JOIN t USING a',
  'SELECT * FROM d.restore ALL INNER JOIN t USING a',
  "BACKUP ALL TO S3('http://h/b/restore')",
]

test('what reaches the machine is found', () => {
  for (const sql of refused) assert.notEqual(findForbidden(sql), null, sql)
})

test('what only looks like it is let through', () => {
  for (const sql of allowed) assert.equal(findForbidden(sql), null, sql)
})

test('the quick look misses nothing that the long one finds', () => {
  for (const sql of refused) {
    assert.throws(
      () => refuseForbidden(sql),
      (error) => error instanceof EngineError && error.code === 497,
      sql,
    )
  }
})
