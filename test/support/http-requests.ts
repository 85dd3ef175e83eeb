import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { failure, type HttpCaller, rowsReadBy, until } from './http-caller.ts'

/** What a request may contain, and in which part of it. */
export async function requestsAreUnderstood(t: TestContext, call: HttpCaller): Promise<void> {
  await t.test('a statement in the URL, in the body, in both', async () => {
    assert.equal((await call({ query: 'SELECT 1' })).text, '1\n')
    assert.equal((await call({}, 'SELECT 2')).text, '2\n')
    assert.equal((await call({ query: 'SELECT 3' }, '')).text, '3\n')
    assert.equal((await call({ query: 'SELECT 4' }, ', 5')).text, '4\t5\n')
    // As with a ClickHouse server, the first value counts.
    const twice: [string, string][] = [
      ['query', 'SELECT 6'],
      ['query', ' + 1'],
    ]
    assert.equal((await call(twice, '')).text, '6\n')
    assert.equal((await call(twice, ' + 10')).text, '16\n')
    assert.deepEqual(failure(await call({}, '')), ['62', 400, 'SYNTAX_ERROR'])
    assert.deepEqual(failure(await call({}, ' ; -- nothing')), ['62', 400, 'SYNTAX_ERROR'])
  })

  await t.test('where a statement runs and what it answers in', async () => {
    const sql = 'SELECT currentDatabase() AS d'
    assert.equal((await call({ database: 'system' }, sql)).text, 'system\n')
    const byHead = await call({}, sql, {
      headers: { 'X-ClickHouse-Database': 'system', 'X-ClickHouse-Format': 'CSV' },
    })
    assert.deepEqual([byHead.text, byHead.headers['x-clickhouse-format']], ['"system"\n', 'CSV'])
    assert.equal((await call({ default_format: 'JSONEachRow' }, sql)).text, '{"d":"default"}\n')
    assert.equal((await call({ default_format: 'JSONEachRow' }, `${sql} FORMAT CSV`)).text, '"default"\n')
    assert.deepEqual(failure(await call({ database: 'nowhere' }, sql)), ['81', 404, 'UNKNOWN_DATABASE'])
    assert.deepEqual(failure(await call({ default_format: 'Nothing' }, sql)), ['73', 404, 'UNKNOWN_FORMAT'])
    assert.deepEqual(failure(await call({}, `${sql} FORMAT Nothing`)), ['73', 404, 'UNKNOWN_FORMAT'])
  })

  await t.test('parameters and settings', async () => {
    const sql = "SELECT {a:String}, {b:Array(UInt8)}, {c:Nullable(Int8)}, getSetting('max_block_size')"
    const search = { param_a: "it's\\ta \\\\ 雪", param_b: '[1,2]', param_c: '\\N', max_block_size: '77' }
    assert.equal((await call(search, sql)).text, "it\\'s\\ta \\\\ 雪\t[1,2]\t\\N\t77\n")
    assert.deepEqual(failure(await call({ max_sheep: '1' }, 'SELECT 1')), ['115', 404, 'UNKNOWN_SETTING'])
    const isWrong = await call({ max_block_size: 'many' }, 'SELECT 1')
    assert.equal(isWrong.status >= 400 && failure(isWrong)[0] !== '', true)
    const limited = await call(
      { max_result_rows: '2', result_overflow_mode: 'throw' },
      'SELECT number FROM numbers(9)',
    )
    assert.deepEqual(failure(limited), ['396', 500, 'TOO_MANY_ROWS_OR_BYTES'])
    const timedOut = await call({ max_execution_time: '0.5' }, 'SELECT count() FROM numbers(1000000000000)')
    assert.deepEqual(failure(timedOut), ['159', 408, 'TIMEOUT_EXCEEDED'])
  })

  await t.test('ids, and what an answer says of itself', async () => {
    const { headers, text } = await call(
      { query_id: 'mine', session_timezone: 'Asia/Tokyo' },
      'SELECT timezone() FORMAT XML',
    )
    assert.match(text, /Asia\/Tokyo/)
    assert.equal(headers['x-clickhouse-query-id'], 'mine')
    assert.equal(headers['x-clickhouse-timezone'], 'Asia/Tokyo')
    assert.equal(headers['x-clickhouse-format'], 'XML')
    assert.equal(headers['content-type'], 'application/xml; charset=UTF-8')
    assert.ok(headers['x-clickhouse-server-display-name'])
    const byHead = await call({}, 'SELECT 1', { headers: { 'X-ClickHouse-Query-Id': 'other' } })
    assert.equal(byHead.headers['x-clickhouse-query-id'], 'other')
    const [one, two] = await Promise.all([call({}, 'SELECT 1'), call({}, 'SELECT 1')])
    assert.notEqual(one?.headers['x-clickhouse-query-id'], two?.headers['x-clickhouse-query-id'])
  })

  await t.test('GET reads only', async () => {
    await call({}, 'CREATE TABLE got (a UInt8) ENGINE = MergeTree ORDER BY a')
    for (const query of [
      'INSERT INTO got SELECT 1',
      'DROP TABLE got',
      'CREATE TABLE gotten (a UInt8) ENGINE = Memory',
    ]) {
      assert.deepEqual(failure(await call({ query })), ['164', 500, 'READONLY'], query)
    }
    assert.equal((await call({ query: 'SELECT count() FROM got', max_threads: '1' })).text, '0\n')
    assert.deepEqual(failure(await call({ query: 'SET readonly = 0' })), ['164', 500, 'READONLY'])
  })

  await t.test('sessions', async () => {
    const session_id = 'of http'
    assert.equal((await call({ session_id }, 'CREATE TEMPORARY TABLE tmp (a UInt8)')).text, '')
    assert.equal((await call({ session_id, query: 'INSERT INTO tmp FORMAT CSV' }, '1\n2\n')).text, '')
    await call({ session_id }, 'SET max_block_size = 55')
    const sql = "SELECT sum(a), any(getSetting('max_block_size')) FROM tmp"
    assert.equal((await call({ session_id }, sql)).text, '3\t55\n')
    assert.equal((await call({ session_id, query: sql })).text, '3\t55\n')
    assert.deepEqual(failure(await call({}, sql)), ['60', 404, 'UNKNOWN_TABLE'])
    assert.deepEqual(failure(await call({ session_id: 'another' }, sql)), ['60', 404, 'UNKNOWN_TABLE'])
    const unknown = await call({ session_id: 'unheard of', session_check: '1' }, 'SELECT 1')
    assert.deepEqual(failure(unknown), ['372', 500, 'SESSION_NOT_FOUND'])
    assert.deepEqual(failure(await call({ session_id: '' }, 'SELECT 1')), ['744', 500, 'SESSION_ID_EMPTY'])
    const endless = 'SELECT count() /* in a session */ FROM numbers(1000000000000) SETTINGS max_threads = 1'
    const locking = call({ session_id, query_id: 'locking' }, endless)
    await until('it runs', async () => (await rowsReadBy(call, 'in a session')) !== '')
    assert.deepEqual(failure(await call({ session_id }, 'SELECT 1')), ['373', 500, 'SESSION_IS_LOCKED'])
    await call({}, "KILL QUERY WHERE query_id = 'locking'")
    assert.deepEqual(failure(await locking), ['394', 500, 'QUERY_WAS_CANCELLED'])
    assert.equal((await call({ session_id }, sql)).text, '3\t55\n')
  })

  await t.test('wait_end_of_query: a failure is an answer of its own, however late', async () => {
    const sql = 'SELECT number, throwIf(number = 20000) FROM numbers(30000) SETTINGS max_block_size = 2000'
    const late = await call({ wait_end_of_query: '1' }, sql)
    assert.deepEqual(failure(late), ['395', 500, 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'])
    assert.equal(late.isComplete, true)
    const { headers, bytes } = await call(
      { wait_end_of_query: '1' },
      'SELECT number FROM numbers(30000) FORMAT RowBinary',
    )
    assert.equal(bytes.length, 240_000)
    assert.match(String(headers['x-clickhouse-summary']), /"read_rows":"30000"/)
  })

  await t.test('tables that come with the statement', async () => {
    const form = new FormData()
    form.append('query', 'SELECT sum(a), {p:String} FROM brought')
    form.append('param_p', 'with')
    form.append('brought', new Blob(['1\n2\n']), 'brought.tsv')
    const sent = new Request('http://any', { method: 'POST', body: form })
    const headers = { 'Content-Type': String(sent.headers.get('content-type')) }
    const body = Buffer.from(await sent.arrayBuffer())
    assert.equal((await call({ brought_structure: 'a UInt8' }, body, { headers })).text, '3\twith\n')
  })
}
