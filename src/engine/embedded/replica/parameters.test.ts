import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from './errors.ts'
import { readParameters, setupStatements, substitutionsPrefix } from './parameters.ts'

const read = (search: string, headers: Record<string, string> = {}, method = 'POST') =>
  readParameters(method, search, headers)
const hasCode = (code: number) => (error: unknown) => error instanceof EngineError && error.code === code

test('everything that is not ours is a setting', () => {
  const parameters = read('query=SELECT+1&max_threads=2&user=u&password=p&wait_end_of_query=1&a.b=x&=1')
  assert.equal(parameters.query, 'SELECT 1')
  assert.deepEqual(parameters.settings, [
    ['max_threads', '2'],
    ['a.b', 'x'],
  ])
  assert.equal(parameters.waitEndOfQuery, true)
  assert.equal(setupStatements(parameters), "SET max_threads = '2', a.b = 'x'")
})

test('names and values cannot become SQL', () => {
  for (const name of ["a='1'; DROP TABLE t; SET b", 'a b', '1a', 'a-b', 'a;b']) {
    assert.throws(() => read(`${encodeURIComponent(name)}=1`), hasCode(115), name)
  }
  const search = new URLSearchParams({ s: "x'; DROP TABLE t; --\\", param_p: "'\\", database: '`; DROP' })
  const parameters = read(search.toString())
  assert.equal(setupStatements(parameters), "SET s = 'x\\'; DROP TABLE t; --\\\\';USE `\\`; DROP`")
  assert.equal(substitutionsPrefix(parameters.substitutions), "SET param_p = '\\'\\\\';")
  assert.throws(() => substitutionsPrefix([["x='1';", '1']]), hasCode(36))
})

test('only POST may change something, and only for users who may', () => {
  assert.equal(read('', {}, 'GET').readOnly, true)
  assert.equal(read('', {}, 'HEAD').readOnly, true)
  assert.equal(read('').readOnly, false)
  const ro = read('', { 'x-granary-access': 'ro' })
  assert.deepEqual([ro.readOnly, ro.readOnlyUser], [true, true])
  assert.equal(setupStatements(read('a=1', {}, 'GET')), "SET readonly = 2;SET a = '1'")
  assert.equal(setupStatements(read('')), '')
})

test('heads come before the URL', () => {
  const headers = { 'x-clickhouse-database': 'h', 'x-clickhouse-format': 'CSV' }
  const parameters = read('database=u&default_format=JSON&query_id=q', headers)
  assert.deepEqual([parameters.database, parameters.defaultFormat, parameters.queryId], ['h', 'CSV', 'q'])
})

test('sessions', () => {
  assert.equal(read('').session, null)
  assert.deepEqual(read('session_id=s').session, {
    key: 's',
    timeoutMs: 60_000,
    mustExist: false,
    closeAfter: false,
  })
  const asked = read('session_id=s&session_timeout=3600&session_check=1&close_session=1', {
    'x-granary-session': 'user/s',
  })
  assert.deepEqual(asked.session, { key: 'user/s', timeoutMs: 3_600_000, mustExist: true, closeAfter: true })
  assert.throws(() => read('session_id='), hasCode(744))
  for (const bad of ['3601', '-1', 'x', '1.5', '']) {
    assert.throws(() => read(`session_id=s&session_timeout=${bad}`), hasCode(374), bad)
  }
})

test('of a form, structures of tables are not settings', () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  const parameters = readParameters('POST', 't_structure=a+Int8&max_threads=1', headers, [
    ['query', 'SELECT 1'],
    ['param_x', 'y'],
  ])
  assert.equal(parameters.external.get('t_structure'), 'a Int8')
  assert.deepEqual(parameters.settings, [['max_threads', '1']])
  assert.deepEqual([parameters.query, parameters.substitutions], ['SELECT 1', [['x', 'y']]])
})
