import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../../engine-error.ts'
import { errorText, httpStatus, readEngineError } from './errors.ts'

const read = (text: string) => {
  const { code, type, message } = readEngineError(new Error(text))
  return [code, type, message]
}

test('an exception is read from its text', () => {
  assert.deepEqual(read('Code: 60. DB::Exception: Table d.x does not exist. (UNKNOWN_TABLE)'), [
    60,
    'UNKNOWN_TABLE',
    'Table d.x does not exist',
  ])
  assert.deepEqual(read('Query failed: Code: 62. DB::Exception: Empty query. (SYNTAX_ERROR)\n'), [
    62,
    'SYNTAX_ERROR',
    'Empty query',
  ])
})

test('what was wrapped several times is said once', () => {
  const text =
    'Code: 73. DB::Exception: Code: 73. DB::Exception: Unknown format N. Maybe: [(A)]. (UNKNOWN_FORMAT) (version 26.7.2.1). (UNKNOWN_FORMAT) (version 26.7.2.1). (UNKNOWN_FORMAT)'
  assert.deepEqual(read(text), [73, 'UNKNOWN_FORMAT', 'Unknown format N. Maybe: [(A)]'])
})

test('the way in which we run a statement does not show', () => {
  const text =
    "Code: 27. DB::Exception: Cannot parse 'x': (at row 2)\n: (in file/uri /w/pipes/p1): While executing ParallelParsingBlockInputFormat: While executing File: data for INSERT was parsed from file. (CANNOT_PARSE_INPUT_ASSERTION_FAILED)"
  const [, type, message] = read(text)
  assert.equal(type, 'CANNOT_PARSE_INPUT_ASSERTION_FAILED')
  assert.equal(
    message,
    "Cannot parse 'x': (at row 2)\n: While executing ParallelParsingBlockInputFormat: data for INSERT was parsed from stdin",
  )
})

test('names of errors inside of a text are not taken for its own', () => {
  const text = 'Code: 395. DB::Exception: said (NOT_THIS) here. (THIS_ONE)'
  assert.deepEqual(read(text), [395, 'THIS_ONE', 'said (NOT_THIS) here'])
})

test('exceptions of every class of the engine, and of the libraries below it', () => {
  assert.deepEqual(read('Code: 210. DB::NetException: Connection refused (h:1). (NETWORK_ERROR)'), [
    ...[210, 'NETWORK_ERROR', 'Connection refused (h:1)'],
  ])
  const nested =
    'Code: 279. DB::NetException: Code: 210. DB::NetException: Refused. (NETWORK_ERROR) (version 26.7.2.1). (ALL_CONNECTION_TRIES_FAILED)'
  assert.deepEqual(read(nested), [279, 'ALL_CONNECTION_TRIES_FAILED', 'Refused'])
  const errno = 'Code: 76. DB::ErrnoException: Cannot open file /x: errno: 2. (CANNOT_OPEN_FILE)'
  assert.deepEqual(read(errno), [76, 'CANNOT_OPEN_FILE', 'Cannot open file /x: errno: 2'])
  assert.deepEqual(read('Poco::Exception. Code: 1000, e.code() = 0, Host not found').slice(0, 2), [
    ...[1000, 'POCO_EXCEPTION'],
  ])
  assert.deepEqual(read('std::exception. Code: 1001, type: std::bad_alloc').slice(0, 2), [
    ...[1001, 'STD_EXCEPTION'],
  ])
})

test('what is no exception of the engine is still an error', () => {
  assert.deepEqual(read('Connection handle is null'), [
    1002,
    'UNKNOWN_EXCEPTION',
    'Connection handle is null',
  ])
  const error = new EngineError(1, 'A', 'b')
  assert.equal(readEngineError(error), error)
  assert.equal(readEngineError('text').message, 'text')
})

test('the text is that of a server', () => {
  const error = new EngineError(60, 'UNKNOWN_TABLE', 'No table.')
  assert.equal(
    errorText(error, '26.7'),
    'Code: 60. DB::Exception: No table. (UNKNOWN_TABLE) (version 26.7)\n',
  )
})

test('codes have the status that ClickHouse gives them', () => {
  const expected = {
    27: 400,
    36: 400,
    47: 404,
    48: 501,
    60: 404,
    62: 400,
    81: 404,
    115: 404,
    159: 408,
    164: 500,
  }
  const more = { 194: 401, 202: 500, 209: 503, 229: 413, 241: 500, 394: 500, 497: 403, 516: 403, 1002: 500 }
  for (const [code, status] of Object.entries({ ...expected, ...more })) {
    assert.equal(httpStatus(Number(code)), status, code)
  }
})
