import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../../engine-error.ts'
import { readParameters, setupStatements, substitutionsPrefix } from './parameters.ts'

const read = (search: string, headers: Record<string, string> = {}, method = 'POST') =>
  readParameters({ method, search, headers })
const hasCode = (code: number) => (error: unknown) => error instanceof EngineError && error.code === code

test('everything that is not ours is a setting', () => {
  const parameters = read('query=SELECT+1&max_threads=2&user=u&password=p&wait_end_of_query=1&a.b=x&=1')
  assert.deepEqual(parameters.queries, ['SELECT 1'])
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
  assert.equal(read('', { 'x-granary-access': 'ro' }).readOnly, true)
  assert.equal(setupStatements(read('a=1', {}, 'GET')), "SET readonly = 2;SET a = '1'")
  assert.equal(setupStatements(read('')), '')
  const atReader = readParameters({ method: 'POST', search: '', headers: {}, isReader: true })
  assert.deepEqual([atReader.readOnly, setupStatements(atReader)], [false, 'SET readonly = 2'])
})

test('heads come before the URL', () => {
  const headers = { 'x-clickhouse-database': 'h', 'x-clickhouse-format': 'CSV' }
  const parameters = read('database=u&default_format=JSON&query_id=q', headers)
  assert.deepEqual([parameters.database, parameters.defaultFormat, parameters.queryId], ['h', 'CSV', 'q'])
})

test('sessions are told by the gateway alone', () => {
  const keyed = (search: string) => read(search, { 'x-granary-session': 'service:user:s%3A1' })
  assert.equal(read('').session, null)
  assert.equal(read('session_id=service:user:s').session, null)
  const of = { key: 'service:user:s%3A1', owner: 'service:user:', id: 's:1' }
  const usual = { timeoutMs: 60_000, mustExist: false, closeAfter: false }
  assert.deepEqual(keyed('').session, { ...of, ...usual })
  assert.deepEqual(keyed('session_id=other').session, { ...of, ...usual })
  const asked = keyed('session_timeout=3600&session_check=1&close_session=1')
  assert.deepEqual(asked.session, { ...of, timeoutMs: 3_600_000, mustExist: true, closeAfter: true })
  assert.throws(() => read('session_id='), hasCode(744))
  for (const bad of ['3601', '-1', 'x', '1.5', '']) {
    assert.throws(() => keyed(`session_timeout=${bad}`), hasCode(374), bad)
  }
})

const form = (search: string, fields: [string, string][]) =>
  readParameters({
    method: 'POST',
    search,
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    form: fields,
  })

test('of a form, structures of tables are not settings', () => {
  const parameters = form('t_structure=a+Int8&max_threads=1', [
    ['query', 'SELECT 1'],
    ['param_x', 'y'],
    ['u_types', 'Int8'],
  ])
  assert.deepEqual(Object.fromEntries(parameters.external), { t_structure: 'a Int8', u_types: 'Int8' })
  assert.deepEqual(parameters.settings, [['max_threads', '1']])
  assert.deepEqual([parameters.queries, parameters.substitutions], [['SELECT 1'], [['x', 'y']]])
})

test('every query of URL and form is the text; what the gateway has to know is not taken from a form', () => {
  const { queries } = form('query=SELECT+1&query=,2', [
    ['query', ',3'],
    ['query', ',4'],
  ])
  assert.deepEqual(queries, ['SELECT 1,2,3,4'])
  for (const name of [
    'session_id',
    'user',
    'password',
    'database',
    'query_id',
    'readonly',
    'max_threads',
    '',
  ]) {
    assert.throws(() => form('query=SELECT+1', [[name, '1']]), hasCode(36), name)
  }
})
