import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import {
  type ClickHouseClient,
  type ClickHouseSettings,
  type DataFormat,
  isProgressRow,
  isRow,
  type JSONDataFormat,
  StreamableFormats,
  StreamableJSONFormats,
  SupportedJSONFormats,
  SupportedRawFormats,
} from '@clickhouse/client'

/** Reads the same three rows in every format and in each way that the client supports. */
export async function formatsAreRead(t: TestContext, client: ClickHouseClient): Promise<void> {
  const read = (format: DataFormat) => client.query({ query, format })

  await t.test('no format is missing here', () => {
    assert.deepEqual(Object.keys(json).toSorted(), SupportedJSONFormats.toSorted())
    assert.deepEqual([...Object.keys(raw), 'Parquet'].toSorted(), SupportedRawFormats.toSorted())
  })

  await t.test('json()', async () => {
    await inEach(SupportedJSONFormats, async (format) => {
      const answer: unknown = await (await read(format)).json()
      assert.deepEqual(withoutTimes(answer), json[format], format)
    })
  })

  await t.test('text()', async () => {
    await inEach(SupportedRawFormats, async (format) => {
      const answer = await (await read(format)).text()
      if (format === 'Parquet') assert.match(answer, /^PAR1.*PAR1$/s)
      else assert.equal(answer, raw[format], format)
    })
    const lines = await (await read('JSONEachRow')).text()
    assert.equal(lines, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  })

  await t.test('stream()', async () => {
    await inEach(StreamableFormats, async (format) => {
      if (format === 'Parquet') return
      const found: { text: string; json: () => unknown }[] = []
      for await (const part of (await read(format)).stream()) found.push(...part)
      if (isJson(format)) {
        assert.deepEqual(withoutTimes(found.map((row) => row.json())), json[format], format)
      } else {
        assert.equal(found.map(({ text }) => `${text}\n`).join(''), raw[format as keyof typeof raw], format)
      }
    })
  })

  await t.test('a large result streams', async () => {
    const result = await client.query({
      query: "SELECT number AS n, repeat('x', 50) AS filler FROM numbers(100000)",
      format: 'JSONCompactEachRow',
    })
    let [count, sum] = [0, 0]
    for await (const part of result.stream<[number, string]>()) {
      for (const row of part) {
        count += 1
        sum += Number(row.json()[0])
      }
    }
    assert.deepEqual([count, sum], [100_000, (100_000 * 99_999) / 2])
  })

  await t.test('totals, extremes and what LIMIT hid are told in JSON', async () => {
    const result = await client.query({
      query:
        'SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k LIMIT 2',
      clickhouse_settings: { extremes: 1 },
    })
    const { data, totals, extremes, rows: count, rows_before_limit_at_least } = await result.json()
    assert.deepEqual([data, count, rows_before_limit_at_least], [k3, 2, 3])
    assert.deepEqual(totals, { k: 0, c: 10 })
    assert.deepEqual(extremes, { min: { k: 0, c: 3 }, max: { k: 1, c: 4 } })
  })

  await t.test('big numbers are as the settings say', async () => {
    const query = 'SELECT 18446744073709551615 AS big, inf AS endless, nan AS none'
    const read = async (clickhouse_settings: ClickHouseSettings) =>
      (await client.query({ query, format: 'JSONEachRow', clickhouse_settings })).text()
    const [plain, quoted] = await Promise.all([
      read({ output_format_json_quote_64bit_integers: 0 }),
      read({ output_format_json_quote_64bit_integers: 1, output_format_json_quote_denormals: 1 }),
    ])
    assert.equal(plain, '{"big":18446744073709551615,"endless":null,"none":null}\n')
    assert.equal(quoted, '{"big":"18446744073709551615","endless":"inf","none":"nan"}\n')
  })
}

const query = "SELECT toUInt32(number) AS id, concat('n,\"', toString(number)) AS name FROM numbers(3)"
const rows = [0, 1, 2].map((id) => ({ id, name: `n,"${id}` }))
const texts = rows.map(({ id, name }) => ({ id: String(id), name }))
const arrays = rows.map(({ id, name }) => [id, name])
const textArrays = texts.map(({ id, name }) => [id, name])
const names = ['id', 'name']
const types = ['UInt32', 'String']
const meta = names.map((name, index) => ({ name, type: types[index] }))
const columns = { id: [0, 1, 2], name: rows.map(({ name }) => name) }
const k3 = [
  { k: 0, c: 4 },
  { k: 1, c: 3 },
]

const json: Record<JSONDataFormat, unknown> = {
  JSON: { meta, data: rows, rows: 3 },
  JSONStrings: { meta, data: texts, rows: 3 },
  JSONCompact: { meta, data: arrays, rows: 3 },
  JSONCompactStrings: { meta, data: textArrays, rows: 3 },
  JSONColumnsWithMetadata: { meta, data: columns, rows: 3 },
  JSONObjectEachRow: { row_1: rows[0], row_2: rows[1], row_3: rows[2] },
  JSONEachRow: rows,
  JSONStringsEachRow: texts,
  JSONCompactEachRow: arrays,
  JSONCompactStringsEachRow: textArrays,
  JSONCompactEachRowWithNames: [names, ...arrays],
  JSONCompactEachRowWithNamesAndTypes: [names, types, ...arrays],
  JSONCompactStringsEachRowWithNames: [names, ...textArrays],
  JSONCompactStringsEachRowWithNamesAndTypes: [names, types, ...textArrays],
  JSONEachRowWithProgress: rows.map((row) => ({ row })),
}

const csv = '0,"n,""0"\n1,"n,""1"\n2,"n,""2"\n'
const tsv = '0\tn,"0\n1\tn,"1\n2\tn,"2\n'
const raw = {
  CSV: csv,
  CSVWithNames: `"id","name"\n${csv}`,
  CSVWithNamesAndTypes: `"id","name"\n"UInt32","String"\n${csv}`,
  TabSeparated: tsv,
  TabSeparatedRaw: tsv,
  TabSeparatedWithNames: `id\tname\n${tsv}`,
  TabSeparatedWithNamesAndTypes: `id\tname\nUInt32\tString\n${tsv}`,
  CustomSeparated: tsv,
  CustomSeparatedWithNames: `id\tname\n${tsv}`,
  CustomSeparatedWithNamesAndTypes: `id\tname\nUInt32\tString\n${tsv}`,
}

const isJson = (format: DataFormat): format is (typeof StreamableJSONFormats)[number] =>
  (StreamableJSONFormats as readonly string[]).includes(format)

/** The answer without what differs each time: durations and intermediate progress. */
function withoutTimes(answer: unknown): unknown {
  if (Array.isArray(answer)) {
    const isWithProgress = answer.some((line) => isRow(line) || isProgressRow(line))
    return isWithProgress ? answer.filter((line) => isRow(line)) : answer
  }
  const { statistics, rows_before_limit_at_least, ...rest } = answer as Record<string, unknown>
  return rest
}

async function inEach<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  await Promise.all(items.map(check))
}
