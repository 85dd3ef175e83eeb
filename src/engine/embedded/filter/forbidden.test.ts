import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quoteString } from '../../../lib/clickhouse/identifiers.ts'
import { EngineError } from '../engine-error.ts'
import { refuseForbidden, refuseForbiddenValues } from './forbidden.ts'

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
  // Names that the engine decodes.
  'SELECT "fi\\Nle"(x)',
  'SELECT `f\\x69le`(x)',
  'SELECT "f\\Nile"(x)',
  'CREATE TABLE t (a Int8) ENGINE = "Query\\NRunner"',
  'CREATE DATABASE d ENGINE = "Fi\\Nlesystem"(1)',
  'CREATE TABLE t (a Int8) ENGINE = "EmbeddedRocks\\NDB"(0, \'/x\') PRIMARY KEY a',
  'SELECT * FROM "icebergL\\x7Zcal"(\'/x\')',
  'SELECT \u201cfile\u201d(x)',
  // Functions without brackets.
  "SELECT arrayMap(file, ['/x'])",
  "SELECT arrayFold(file, ['/x'], '')",
  "SELECT arrayMap({f:Identifier}, ['/x'])",
  'SELECT * APPLY file FROM t',
  'SELECT * APPLY(file) FROM t',
  'SELECT COLUMNS(\'a\') APPLY("fi\\Nle") FROM t',
  // SQL in strings.
  "SELECT * FROM format(JSONEachRow, 'a String, b String DEFAULT file(\\'/x\\')', '{}')",
  "SELECT * FROM format('JSONEachRow', x'6120496e7438', '{}'), format(JSONEachRow, $$b String ALIAS file('/x')$$, '{}')",
  "SELECT * FROM format(JSONEachRow, concat('b String ALIAS fi', 'le(1)'), '{}')",
  "SELECT * FROM t, format(JSONEachRow, (SELECT s), '{}')",
  "WITH 'b String' AS s SELECT * FROM format(JSONEachRow, s, '{}')",
  "SELECT * FROM format(concat('Val', 'ues'), 'a String', '(1)')",
  "SELECT * FROM format(Values, 'a String', '(file(1))')",
  "SELECT * FROM format(Values, 'a String', concat('(fi', 'le(1))'))",
  "SELECT * FROM values('a String, b String ALIAS file(1)', 'x')",
  "SELECT * FROM generateRandom('a String ALIAS file(1)')",
  "SELECT * FROM generateRandom(concat('a String ALIAS fi', 'le(1)'))",
  "SELECT * FROM null('a String ALIAS file(1)')",
  "SELECT * FROM url('http://h/', CSV, 'a String DEFAULT file(1)')",
  "SELECT * FROM url('http://h/', CSV, upper('a'))",
  "SELECT * FROM url(c, structure = 'a String DEFAULT file(1)')",
  "SELECT * FROM url(c, structure = concat('a', 'b'))",
  "WITH 'x' AS CSV SELECT * FROM url('http://h/', JSONEachRow, CSV)",
  "SELECT * FROM s3('http://h/b', 'k', 's', CSV, 'a String DEFAULT file(1)')",
  "SELECT arrayReduce('quantile(length(file(1)))', [1])",
  "SELECT arrayReduce(concat('quantile(length(fi', 'le(1)))'), [1])",
  "SELECT initializeAggregation('quantile(file(1))', 1)",
  "SELECT structureToProtobufSchema('a String DEFAULT file(1)')",
  'SELECT * APPLY structureToProtobufSchema FROM t',
  "SELECT 1 SETTINGS additional_result_filter = 'length(file(1)) > 0'",
  "SELECT 1 SETTINGS additional_table_filters = {'t': 'file(1)'}",
  "SET parallel_replicas_custom_key = 'file(1)'",
  "SELECT 1 SETTINGS schema_inference_hints = 'a String DEFAULT file(1)'",
  "SET param_s = 'a String DEFAULT file(1)'",
  "CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY x'53454c4543542066696c65283129')) LAYOUT(FLAT())",
  "CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE(CLICKHOUSE(WHERE 'file(1)')) LAYOUT(FLAT())",
  "CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE(CLICKHOUSE(TABLE 't')) LAYOUT(SSD_CACHE(PATH '/x'))",
  "CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE(YAMLRegExpTree(PATH '/x')) LAYOUT(FLAT())",
  "CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE(ODBC(TABLE 'x')) LAYOUT(FLAT())",
  // Settings that a table would carry past the engine's constraints.
  "CREATE TABLE t (a String) ENGINE = URL('http://h/', CSV) SETTINGS input_format_record_errors_file_path = '/x'",
  "CREATE TABLE t (a String) ENGINE = URL('http://h/', Template) SETTINGS format_template_row = '/x'",
  'CREATE TABLE t (a String) ENGINE = URL(c) SETTINGS input_format_values_interpret_expressions',
  "SELECT 1 FORMAT Protobuf SETTINGS output_format_schema = '/x'",
  "CREATE TABLE t (a String) ENGINE = URL('http://h/', Values)",
  "CREATE TABLE t (a String) ENGINE = S3('http://h/x.values')",
  "CREATE VIEW v AS SELECT * FROM url(concat('http://h/x.val', 'ues'))",
  "CREATE NAMED COLLECTION c AS url = 'http://h/', format = 'Values'",
  "CREATE NAMED COLLECTION c AS `kafka.ssl.key.location` = '/x'",
  "ALTER NAMED COLLECTION c SET kafka.ssl_key_location = '/x'",
  // Rights, engines, directories.
  'CREATE VIEW v SQL SECURITY NONE AS SELECT 1',
  'ALTER TABLE v MODIFY SQL/**/SECURITY none',
  "ATTACH TABLE t FROM '/x' (a Int8) ENGINE = MergeTree ORDER BY a",
  "CREATE DATABASE where ENGINE = Filesystem('/x')",
  "CREATE TABLE t (a Int8) ENGINE = FileLog('/x', CSV)",
  "CREATE TABLE t (a Int8) ENGINE = Executable('x', CSV)",
  'CREATE TABLE t (a Int8) ENGINE = SomethingNew',
  "CREATE DATABASE d ENGINE = Backup('x', File('y'))",
  "SELECT * FROM sqlite('/x', 't')",
  "SELECT * FROM odbc('DSN=x', 'a', 'b')",
  "SELECT * FROM filesystem('/')",
  "DESCRIBE TABLE file('/x')",
  "SELECT n FROM t ORDER BY n WITH FILL TO file('/x')",
  "BACKUP ALL TO SomethingNew('x')",
]

const allowed = [
  "CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE(REDIS(host 'h' port 6379 storage_type 'simple' db_index 0)) LAYOUT(FLAT())",
  "CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE(MONGODB(host 'h' port 1 user '' password '' db 'd' collection 'c')) LAYOUT(FLAT())",
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
  "SELECT * FROM dictionary('d') WHERE a = 'file(1)'",
  "INSERT INTO t SELECT 'SELECT file(1)', 'ENGINE = File'",
  "SELECT format('{} {}', a, lower(b)) FROM t",
  "SELECT concat(format('{}', a), 'x'), format('{} {}', file, 'file(1)') FROM t",
  'SELECT * FROM format(JSONEachRow, \'{"a": "file(1)"}\')',
  "SELECT * FROM format(CSV, 'a String', 'file(1)')",
  "SELECT * FROM format(JSONEachRow, 'file String, disk Array(Int8) DEFAULT [1]', $$ {} $$)",
  'SELECT * FROM format(Native, unhex(x))',
  "SELECT * FROM url('http://h/x.csv', CSV, 'a String', headers('a' = 'b'))",
  "SELECT * FROM url(concat('http://h/', toString(today()), '.csv'), CSV)",
  "SELECT * FROM url('http://h/', Values, 'a String')",
  "SELECT * FROM s3('http://h/b', NOSIGN, 'CSVWithNames', 'a UInt8, b DateTime DEFAULT now()', 'gzip')",
  "SELECT * FROM values('a Int8, file String', (1, upper('x')))",
  "SELECT * FROM (VALUES (now(), 'file(1)'))",
  "SELECT * FROM generateRandom('a Array(Int8)', 1, 10, 2) LIMIT 1",
  'SELECT a IS NULL, (NULL), [NULL, 1] FROM t',
  "SELECT arrayReduce('quantiles(0.5, 0.9)', a), arrayReduce('sum', file) FROM t",
  'SELECT arrayElement(file, 1), arraySum(file), arrayMap(x -> x + 1, file), arraySort(file) FROM t',
  'SELECT arrayMap(upper, names), mapKeys(file), lower(file) FROM t',
  "SELECT * APPLY max, COLUMNS('file') APPLY(toString) FROM t",
  "SELECT name FROM system.tables WHERE engine = 'File' AND engine = engine_full",
  "SELECT replace(engine, 'a', 'b') FROM system.tables WHERE engine = other",
  'CREATE TABLE t AS SELECT engine FROM system.tables WHERE engine = other',
  "SELECT value FROM system.settings WHERE name = 'format_schema_source'",
  'SELECT dialect FROM t WHERE dialect = 1',
  "SELECT 1 SETTINGS max_threads = 1, log_comment = 'file(1)'",
  "SELECT 1 SETTINGS additional_table_filters = {'t': 'a > 1'}",
  "SELECT * FROM url('http://h/', Protobuf, 'a String') SETTINGS format_schema = 'syntax = \"proto3\";'",
  'CREATE VIEW v SQL SECURITY INVOKER AS SELECT 1',
  'CREATE VIEW v DEFINER = CURRENT_USER SQL SECURITY DEFINER AS SELECT 1',
  'CREATE TABLE t (a Int8, source String, layout String) ENGINE = ReplacingMergeTree(a) ORDER BY a',
  'CREATE MATERIALIZED VIEW v TO file (a Int8) AS SELECT 1',
  'CREATE TABLE sqlite (a Int8) ENGINE = Memory',
  'ALTER TABLE t ATTACH PARTITION 1 FROM other',
  "ATTACH TABLE t UUID 'x' (a Int8) ENGINE = MergeTree ORDER BY a",
  "CREATE NAMED COLLECTION c AS url = 'http://h/', format = 'CSV'",
  "CREATE TABLE t (a Int8) ENGINE = Kafka SETTINGS kafka_broker_list = 'h:1', kafka_format = 'CSV'",
  'CREATE DATABASE d ENGINE = Atomic',
  'SYSTEM RELOAD DICTIONARY d',
  'DROP DICTIONARY d',
  "SELECT dictGet('d', 'file', 1)",
  'SELECT {x:Identifier} FROM {t:Identifier} WHERE has({a:Array(Int8)}, 1)',
  "SELECT arrayElement({a:Array(Int8)}, 1), mapContains({m:Map(String, String)}, 'x')",
  'SELECT n FROM t ORDER BY n WITH FILL FROM 1 TO 10',
  "BACKUP TABLE t TO AzureBlobStorage('x', 'y', 'z')",
]

const look = (sql: string): void => refuseForbidden(sql)
const isRefusal = (error: unknown): boolean => error instanceof EngineError && error.code === 497

test('what reaches the machine is refused', () => {
  for (const sql of refused) assert.throws(() => look(sql), isRefusal, sql)
})

test('what only looks like it is let through', () => {
  for (const sql of allowed) assert.doesNotThrow(() => look(sql), sql)
})

test('comments and spaces between the tokens hide nothing', () => {
  for (const sql of refused) {
    const spaced = sql.replaceAll('(', ' /* x */ -- y\n (').replaceAll(' = ', '/**/=/**/')
    assert.throws(() => look(spaced), isRefusal, spaced)
  }
})

test('a backslash outside of quotes is a syntax error', () => {
  assert.throws(
    () => look('SELECT 1 \\G'),
    (error) => error instanceof EngineError && error.code === 62,
  )
  assert.doesNotThrow(() => look("SELECT '\\\\' FROM s3('http://h/b', 'key', 'se\\\\cret')"))
})

test('values of substitutions are looked at where the engine evaluates them', () => {
  const value = "a String DEFAULT file('/x')"
  assert.throws(() => refuseForbidden('SELECT * FROM generateRandom({s:String})', [value]), isRefusal)
  assert.throws(() => refuseForbidden("SELECT * FROM url('http://h/', CSV, {s:String})", [value]), isRefusal)
  assert.doesNotThrow(() => refuseForbidden("SELECT {s:String} FROM url('http://h/', CSV)", [value]))
})

test('the data of VALUES may hold calls, but nothing that holds more', () => {
  assert.throws(() => refuseForbiddenValues("(file('/x'))"), isRefusal)
  assert.throws(
    () => refuseForbiddenValues("((SELECT a FROM url('http://h/', Values, 'a String')))"),
    isRefusal,
  )
  assert.throws(() => refuseForbiddenValues("((SELECT a FROM url('http://h/x.values')))"), isRefusal)
  assert.throws(
    () => refuseForbiddenValues("((SELECT a FROM format(Values, 'a String', '(file(1))')))"),
    isRefusal,
  )
  assert.doesNotThrow(() => refuseForbiddenValues("(now(), 'file(1)', '\\\\')"))
})

test('SQL in strings in strings is followed, and at some depth refused', () => {
  let sql = "file('/x')"
  for (let depth = 0; depth < 6; depth++) {
    sql = `(SELECT b FROM generateRandom(${quoteString(`a String, b String ALIAS ${sql}`)}))`
    assert.throws(() => look(`SELECT ${sql}`), isRefusal, String(depth))
  }
})
