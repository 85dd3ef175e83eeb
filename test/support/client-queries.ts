import assert from 'node:assert/strict'
import { buffer, text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel } from '@clickhouse/client'
import { until } from './http-caller.ts'
import { emulated, type WarehouseService } from './warehouse.ts'

type Connect = WarehouseService['client']

/** Everything about running statements except their data: ids, sessions, errors, abort, compression. */
export async function queriesAreRun(
  t: TestContext,
  client: ClickHouseClient,
  connect: Connect,
): Promise<void> {
  const read = async (query: string): Promise<unknown> =>
    (await client.query({ query, format: 'JSONCompactEachRow' })).json()

  await t.test('command and exec', async () => {
    const made = await client.command({ query: 'CREATE TABLE kept (a UInt8) ENGINE = MergeTree ORDER BY a' })
    assert.equal(made.response_headers['x-clickhouse-query-id'], made.query_id)
    await client.command({ query: 'INSERT INTO kept SELECT number FROM numbers(3)' })
    const { stream, summary, query_id } = await client.exec({
      query: 'SELECT a FROM kept ORDER BY a FORMAT CSV',
      query_id: 'chosen by me',
    })
    assert.deepEqual([await text(stream), query_id], ['0\n1\n2\n', 'chosen by me'])
    assert.equal(summary?.read_rows, '3')
    await client.command({ query: 'DROP TABLE kept' })
  })

  await t.test('ping', async () => {
    const stranger = connect({ password: 'wrong', log: quiet })
    assert.deepEqual(await client.ping(), { success: true })
    assert.deepEqual(await client.ping({ select: true }), { success: true })
    // The health check needs no credentials.
    assert.deepEqual(await stranger.ping(), { success: true })
    const refused = await stranger.ping({ select: true })
    assert.equal(refused.success, false)
    assert.ok(!refused.success && refused.error instanceof ClickHouseError)
    assert.deepEqual([refused.error.code, refused.error.type], ['516', 'AUTHENTICATION_FAILED'])
    await stranger.close()
  })

  await t.test('what an answer says of itself', async () => {
    const result = await client.query({ query: 'SELECT 1 AS one', query_id: 'an-id', format: 'JSONEachRow' })
    assert.deepEqual([await result.json(), result.query_id], [[{ one: 1 }], 'an-id'])
    const { response_headers: headers } = result
    assert.equal(headers['x-clickhouse-query-id'], 'an-id')
    assert.equal(headers['x-clickhouse-format'], 'JSONEachRow')
    assert.equal(headers['content-type'], 'application/x-ndjson; charset=UTF-8')
    assert.ok(headers['x-clickhouse-timezone'])
    const summary = JSON.parse(String(headers['x-clickhouse-summary'])) as Record<string, string>
    assert.deepEqual([summary['read_rows'], summary['written_rows']], ['1', '0'])
    assert.ok(Number(summary['elapsed_ns']) > 0)
  })

  await t.test('sessions and temporary tables', async () => {
    const session = connect({ session_id: 'mine', max_open_connections: 1, log: quiet })
    await session.command({ query: 'CREATE TEMPORARY TABLE passing (a UInt8, b String)' })
    await session.insert({ table: 'passing', values: [[1, 'one']] })
    await session.insert({ table: 'passing', values: [{ a: 2, b: 'two' }], format: 'JSONEachRow' })
    await session.command({ query: 'SET max_block_size = 123' })
    const query = "SELECT a, b, getSetting('max_block_size') FROM passing ORDER BY a"
    const found = await session.query({ query, format: 'JSONCompactEachRow' })
    assert.deepEqual(await found.json(), [
      [1, 'one', 123],
      [2, 'two', 123],
    ])
    const elsewhere = { code: '60', type: 'UNKNOWN_TABLE' }
    await assert.rejects(client.query({ query }), elsewhere)
    await assert.rejects(client.query({ query, session_id: 'other' }), elsewhere)
    await session.close()
  })

  await t.test('errors', async () => {
    const failures: [query: string, code: string, type: string][] = [
      ['SELECT * FROM nowhere', '60', 'UNKNOWN_TABLE'],
      ['SELECT * FROM nowhere.at_all', '81', 'UNKNOWN_DATABASE'],
      ['SELECT nothing FROM numbers(1)', '47', 'UNKNOWN_IDENTIFIER'],
      ['SELECT no_such(1)', '46', 'UNKNOWN_FUNCTION'],
      // Not in capitals: the client would take the word for the name of the error.
      ['selekt 1', '62', 'SYNTAX_ERROR'],
      ["SELECT 'open", '62', 'SYNTAX_ERROR'],
      ['SELECT toUInt8(1) + [1]', '43', 'ILLEGAL_TYPE_OF_ARGUMENT'],
      ['SELECT throwIf(1)', '395', 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'],
    ]
    await Promise.all(
      failures.map(([query, code, type]) =>
        assert.rejects(client.query({ query }), (error) => {
          assert.ok(error instanceof ClickHouseError, `${query}: ${error}`)
          assert.deepEqual([error.code, error.type], [code, type], query)
          // The message reveals nothing of how the statement was rewritten on its way.
          assert.doesNotMatch(error.message, /OUTFILE|INFILE|\/pipes\/|\/\*/, query)
          return true
        }),
      ),
    )
    const wrong = client.query({ query: 'SELECT 1', auth: { username: 'default', password: 'wrong' } })
    await assert.rejects(wrong, { code: '516', type: 'AUTHENTICATION_FAILED' })
    await assert.rejects(client.command({ query: 'DROP TABLE nowhere' }), { code: '60' })
    await assert.rejects(client.exec({ query: 'SELEKT 1' }), { code: '62' })
  })

  for (const response of [false, true]) {
    await t.test(`an exception in the middle of a ${response ? 'compressed ' : ''}stream`, async () => {
      const client = connect({ compression: { response }, log: quiet })
      const query = 'SELECT number, throwIf(number = 20000) FROM numbers(30000)'
      const clickhouse_settings = { max_block_size: '2000' }
      const ask = () => client.query({ query, format: 'JSONEachRow', clickhouse_settings })
      let count = 0
      const readAll = async () => {
        for await (const rows of (await ask()).stream()) count += rows.length
      }
      await assert.rejects(readAll(), (error) => {
        assert.ok(error instanceof ClickHouseError, String(error))
        assert.deepEqual([error.code, error.type], ['395', 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'])
        return true
      })
      assert.ok(count > 0 && count <= 20_000, `${count} rows`)
      await assert.rejects((await ask()).json())
      await client.close()
    })
  }

  await t.test('abort ends the query on the server', async () => {
    const isRunning = async (marker: string): Promise<boolean> => {
      const query = `SELECT count() FROM system.processes WHERE query LIKE '%endless ${marker}%' AND query NOT LIKE '%system.processes%'`
      return JSON.stringify(await read(query)) !== '[[0]]'
    }
    const runs = (marker: string) => until(`${marker} runs`, () => isRunning(marker))
    const ends = (marker: string) => until(`${marker} ends`, async () => !(await isRunning(marker)))
    const counting = new AbortController()
    const count = client.query({
      query: 'SELECT count() /* endless count */ FROM numbers(1000000000000) SETTINGS max_threads = 1',
      abort_signal: counting.signal,
    })
    const isRefused = assert.rejects(count, /aborted/)
    await runs('count')
    counting.abort()
    await isRefused
    await ends('count')

    // The answer has begun, and waits for its reader.
    const result = await client.query({
      query: 'SELECT number /* endless stream */ FROM numbers(1000000000000) SETTINGS max_threads = 1',
      format: 'CSV',
    })
    assert.equal(await isRunning('stream'), true)
    result.close()
    await ends('stream')
  })

  await t.test('compression, on and off', async () => {
    const query = "SELECT number AS n, repeat('x', 100) AS filler FROM numbers(5000)"
    const options = [false, true, { codec: 'zstd' }, { codec: 'br' }] as const
    await client.command({
      query: 'CREATE TABLE squeezed (n UInt32, filler String) ENGINE = MergeTree ORDER BY n',
    })
    await Promise.all(
      options.map(async (codec, index) => {
        const client = connect({ compression: { request: codec, response: codec }, log: quiet })
        const result = await client.query({ query, format: 'JSONEachRow' })
        const encoding = typeof codec === 'object' ? codec.codec : codec ? 'gzip' : undefined
        assert.equal(result.response_headers['content-encoding'], encoding)
        const rows = await result.json<{ n: number; filler: string }>()
        assert.deepEqual([rows.length, rows[4_999]?.n, rows[4_999]?.filler], [5_000, 4_999, 'x'.repeat(100)])
        const values = rows.map(({ n, filler }) => ({ n: n + index * 5_000, filler }))
        const { summary } = await client.insert({ table: 'squeezed', values, format: 'JSONEachRow' })
        assert.equal(summary?.written_rows, '5000')
        await assert.rejects(client.query({ query: 'SELEKT 1' }), { code: '62' })
        await client.close()
      }),
    )
    const sums = 'SELECT count(), uniqExact(n), max(n), uniqExact(filler) FROM squeezed'
    assert.deepEqual(await read(sums), [[20_000, 20_000, 19_999, 1]])
    const zipped = connect({ compression: { response: true }, log: quiet })
    const { stream } = await zipped.exec({ query: 'SELECT 42 FORMAT CSV', decompress_response_stream: false })
    assert.equal(gunzipSync(await buffer(stream)).toString(), '42\n')
    await zipped.close()
  })

  await t.test('many at once on one client', async () => {
    const many = connect({ max_open_connections: 25, log: quiet })
    const answers = await Promise.all(
      Array.from({ length: manyQueries }, async (_, index) => {
        const query = `SELECT ${index} AS i, sum(number) AS s FROM numbers(${index + 1})`
        return (await many.query({ query, format: 'JSONCompactEachRow' })).json()
      }),
    )
    assert.deepEqual(
      answers,
      Array.from({ length: manyQueries }, (_, index) => [[index, (index * (index + 1)) / 2]]),
    )
    await many.close()
  })
}

/** Errors that a test causes on purpose are not printed. */
export const quiet = { level: ClickHouseLogLevel.OFF }

const manyQueries = emulated ? 30 : 100
