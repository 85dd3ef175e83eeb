import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type ClickHouseClient, SettingsMap, TupleParam } from '@clickhouse/client'

/** Sends parameters of every type, reads them back, and sets settings. */
export async function parametersAreTaken(t: TestContext, client: ClickHouseClient): Promise<void> {
  for (const use_multipart_params of [false, true]) {
    await t.test(`parameters in ${use_multipart_params ? 'a form' : 'the URL'}`, async () => {
      const query_params = Object.fromEntries(parameters.map(([, value], index) => [`p${index}`, value]))
      const list = parameters.map(([type], index) => `{p${index}:${type}} AS p${index}`).join(', ')
      const result = await client.query({
        query: `SELECT ${list}`,
        query_params,
        use_multipart_params,
        format: 'JSONEachRow',
        clickhouse_settings: {
          output_format_json_quote_64bit_integers: 1,
          output_format_json_quote_denormals: 1,
        },
      })
      const [row = {}] = await result.json<Record<string, unknown>>()
      for (const [index, [type, , expected]] of parameters.entries()) {
        assert.deepEqual(row[`p${index}`], expected, `p${index}: ${type}`)
      }
    })
  }

  await t.test('a parameter too long for a URL', async () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => index)
    const result = await client.query({
      query: 'SELECT length({ids:Array(UInt32)}), arraySum({ids:Array(UInt32)})',
      query_params: { ids },
      use_multipart_params_auto: true,
      format: 'JSONCompactEachRow',
    })
    assert.deepEqual(await result.json(), [[20_000, 199_990_000]])
  })

  await t.test('names as parameters, in commands too', async () => {
    const value = "x'); DROP TABLE y; --"
    const query_params = { db: 'default', table: 'odd `name`', column: 'c', value }
    await client.command({
      query: 'CREATE TABLE {db:Identifier}.{table:Identifier} (c String) ENGINE = MergeTree ORDER BY ()',
      query_params,
    })
    await client.command({
      query: 'INSERT INTO {db:Identifier}.{table:Identifier} SELECT {value:String}',
      query_params,
    })
    await client.command({
      query: 'INSERT INTO {table:Identifier} (c) VALUES ({value:String})',
      query_params,
    })
    const result = await client.query({
      query:
        'SELECT {column:Identifier} AS it FROM {table:Identifier} WHERE {column:Identifier} = {value:String}',
      query_params,
      format: 'JSONEachRow',
    })
    assert.deepEqual(await result.json(), [{ it: value }, { it: value }])
    await client.command({ query: 'DROP TABLE {table:Identifier}', query_params })
  })

  await t.test('parameters that are missing or of the wrong type', async () => {
    const missing = client.query({ query: 'SELECT {a:UInt8}', query_params: { b: 1 } })
    await assert.rejects(missing, { code: '456', type: 'UNKNOWN_QUERY_PARAMETER' })
    const wrong = client.query({ query: 'SELECT {a:UInt8}', query_params: { a: 'many' } })
    await assert.rejects(wrong, { code: '457', type: 'BAD_QUERY_PARAMETER' })
  })

  await t.test('settings of the client, of the query, of every shape', async () => {
    const result = await client.query({
      query:
        "SELECT getSetting('max_threads') AS threads, getSetting('extremes') AS flag, groupArray(number) AS kept FROM system.numbers WHERE number < 4",
      format: 'JSONEachRow',
      clickhouse_settings: {
        max_threads: 3,
        extremes: 1,
        additional_table_filters: SettingsMap.from({ 'system.numbers': 'number != 1' }),
        max_rows_to_read: '0',
      },
    })
    assert.deepEqual(await result.json(), [{ threads: 3, flag: true, kept: [0, 2, 3] }])
    const limited = client.query({
      query: 'SELECT number FROM numbers(100)',
      clickhouse_settings: { max_result_rows: '10', result_overflow_mode: 'throw' },
    })
    await assert.rejects(limited, { code: '396', type: 'TOO_MANY_ROWS_OR_BYTES' })
    const unknown = client.query({ query: 'SELECT 1', clickhouse_settings: { max_sheep: 1 } })
    await assert.rejects(unknown, { code: '115', type: 'UNKNOWN_SETTING' })
  })
}

const noon = new Date('2024-02-29T12:34:56.000Z')
const later = new Date('2024-02-29T12:34:56.789Z')
const nasty = 'it\'s "q" \\ \\n \t\n\r end; -- /* {x:Int8} % & = + ü 雪 🦉'

/** Type, given value, and value read back as JSON with 64-bit numbers quoted. */
const parameters: [type: string, given: unknown, expected: unknown][] = [
  ['Int8', -128, -128],
  ['UInt16', 65_535, 65_535],
  ['Int64', -9_223_372_036_854_775_808n, '-9223372036854775808'],
  ['UInt64', 18_446_744_073_709_551_615n, '18446744073709551615'],
  ['UInt256', 2n ** 256n - 1n, String(2n ** 256n - 1n)],
  ['Float32', 1.5, 1.5],
  ['Float64', -1e-9, -1e-9],
  ['Float64', Number.NaN, 'nan'],
  ['Float64', Number.NEGATIVE_INFINITY, '-inf'],
  ['Decimal(18, 4)', '12345.6789', 12345.6789],
  ['Bool', true, true],
  ['Bool', false, false],
  ['String', '', ''],
  ['String', nasty, nasty],
  ['String', '\\N', '\\N'],
  ['FixedString(3)', 'abc', 'abc'],
  ['Nullable(String)', null, null],
  ['Nullable(UInt8)', undefined, null],
  ['Nullable(String)', 'NULL', 'NULL'],
  ['Date', '2024-02-29', '2024-02-29'],
  ['Date32', '1925-01-01', '1925-01-01'],
  ["DateTime('UTC')", noon, '2024-02-29 12:34:56'],
  ["DateTime('Asia/Tokyo')", noon, '2024-02-29 21:34:56'],
  ["DateTime64(3, 'UTC')", later, '2024-02-29 12:34:56.789'],
  ["DateTime64(3, 'UTC')", '2024-02-29 01:02:03.004', '2024-02-29 01:02:03.004'],
  ['UUID', '61f0c404-5cb3-11e7-907b-a6006ad3dba0', '61f0c404-5cb3-11e7-907b-a6006ad3dba0'],
  ['IPv4', '127.0.0.1', '127.0.0.1'],
  ['IPv6', '2001:db8::1', '2001:db8::1'],
  ["Enum8('one' = 1, 'it\\'s' = 2)", "it's", "it's"],
  ['LowCardinality(String)', 'low', 'low'],
  ['Array(UInt8)', [], []],
  ['Array(Int32)', [-1, 0, 1], [-1, 0, 1]],
  ['Array(String)', [nasty, '', "','"], [nasty, '', "','"]],
  ['Array(Array(Nullable(String)))', [['a', null], []], [['a', null], []]],
  ['Array(Bool)', [true, false], [true, false]],
  ["Array(DateTime('UTC'))", [noon], ['2024-02-29 12:34:56']],
  ['Tuple(UInt8, String, Nullable(Float64))', new TupleParam([42, nasty, null]), [42, nasty, null]],
  ['Tuple(a UInt8, b Array(String))', new TupleParam([1, ['x']]), { a: 1, b: ['x'] }],
  ['Map(String, String)', { key: nasty, "it's": '' }, { key: nasty, "it's": '' }],
  ['Map(UInt8, Array(UInt8))', new Map([[1, [2, 3]]]), { 1: [2, 3] }],
]
