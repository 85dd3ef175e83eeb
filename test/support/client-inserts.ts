import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { type ClickHouseClient, ClickHouseError, type InsertParams } from '@clickhouse/client'

/** Inserts in every form of data that the client takes, and reads the rows back. */
export async function insertsAreKept(t: TestContext, client: ClickHouseClient): Promise<void> {
  let tables = 0
  const createTable = async (): Promise<string> => {
    tables += 1
    const table = `inserts_${tables}`
    await client.command({
      query: `CREATE TABLE ${table} (id UInt32, name String DEFAULT 'none', tags Array(String)) ENGINE = MergeTree ORDER BY id`,
    })
    return table
  }
  const contentOf = async (table: string): Promise<unknown> => {
    const query = `SELECT * FROM ${table} ORDER BY id`
    return (await client.query({ query, format: 'JSONEachRow' })).json()
  }
  /** Inserts the rows in every one of these shapes, at the same time. */
  const insertAll = async (shapes: Omit<InsertParams<Readable>, 'table'>[]): Promise<void> => {
    const table = await createTable()
    await Promise.all(
      shapes.map(async (shape) => {
        const { executed, summary, query_id, response_headers } = await client.insert({ ...shape, table })
        assert.equal(executed, true)
        assert.equal(summary?.written_rows, String(rows.length), shape.format)
        assert.equal(response_headers['x-clickhouse-query-id'], query_id)
      }),
    )
    const query = `SELECT *, count() AS times FROM ${table} GROUP BY ALL ORDER BY id`
    const found = await (await client.query({ query, format: 'JSONEachRow' })).json()
    assert.deepEqual(
      found,
      rows.map((row) => ({ ...row, times: shapes.length })),
    )
  }

  await t.test('values', async () => {
    await insertAll([
      { format: 'JSONEachRow', values: rows },
      { format: 'JSONStringsEachRow', values: texts },
      { values: arrays },
      { format: 'JSONCompactEachRowWithNames', values: [names, ...arrays] },
      { format: 'JSONCompactEachRowWithNamesAndTypes', values: [names, types, ...arrays] },
      { format: 'JSON', values: { meta, data: rows } },
      { format: 'JSONCompact', values: { meta, data: arrays } },
      { format: 'JSONColumnsWithMetadata', values: { meta, data: columns } },
      { format: 'JSONObjectEachRow', values: Object.fromEntries(rows.map((row) => [`r${row.id}`, row])) },
    ])
  })

  await t.test('streams of rows and of bytes', async () => {
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`)
    const tsv = "1\tit's\t['a','b']\n2\tl1\\nl2\t[]\n3\tдлина\t['ü']\n"
    const csv = `1,it's,"['a','b']"\n2,"l1\nl2",[]\n3,длина,['ü']\n`
    await insertAll([
      { format: 'JSONEachRow', values: Readable.from(rows, { objectMode: true }) },
      { format: 'JSONCompactEachRow', values: Readable.from(arrays, { objectMode: true }) },
      { format: 'CSV', values: bytes(csv) },
      { format: 'CSVWithNames', values: bytes(`name,id,tags\n${swapped(csv)}`) },
      { format: 'TabSeparated', values: bytes(tsv) },
      {
        format: 'TabSeparatedWithNamesAndTypes',
        values: bytes(`${names.join('\t')}\n${types.join('\t')}\n${tsv}`),
      },
      {
        format: 'CustomSeparated',
        values: bytes(`1|"it's"|"['a','b']"\n2|"l1\nl2"|"[]"\n3|"длина"|"['ü']"\n`),
        clickhouse_settings: { format_custom_field_delimiter: '|', format_custom_escaping_rule: 'CSV' },
      },
    ])
    // The client has no insert of a raw JSON stream; this is what its documentation advises.
    const table = await createTable()
    const { stream } = await client.exec({
      query: `INSERT INTO ${table} FORMAT JSONEachRow`,
      values: bytes(...lines),
    })
    assert.equal((await buffer(stream)).length, 0)
    assert.deepEqual(await contentOf(table), rows)
  })

  await t.test('Parquet, out and in again', async () => {
    const { stream } = await client.exec({
      query: 'SELECT * FROM inserts_1 GROUP BY ALL ORDER BY id FORMAT Parquet',
    })
    const file = await buffer(stream)
    await insertAll([{ format: 'Parquet', values: Readable.from([file], { objectMode: false }) }])
  })

  await t.test('RowBinary, out and in again', async () => {
    const table = await createTable()
    const query = 'SELECT * FROM inserts_1 GROUP BY ALL ORDER BY id FORMAT RowBinary'
    const { stream: values } = await client.exec({ query })
    const { stream, summary } = await client.exec({ query: `INSERT INTO ${table} FORMAT RowBinary`, values })
    assert.equal((await buffer(stream)).length, 0)
    assert.equal(summary?.written_rows, '3')
    assert.deepEqual(await contentOf(table), rows)
  })

  await t.test('some columns, and all but some', async () => {
    const table = await createTable()
    await client.insert({ table, format: 'JSONEachRow', values: [{ id: 7 }], columns: ['id'] })
    await client.insert({ table, values: [[8]], columns: { except: ['name', 'tags'] } })
    const none = { name: 'none', tags: [] }
    assert.deepEqual(await contentOf(table), [
      { id: 7, ...none },
      { id: 8, ...none },
    ])
  })

  await t.test('nothing', async () => {
    const table = await createTable()
    assert.equal((await client.insert({ table, values: [] })).executed, false)
    const values = Readable.from([], { objectMode: true })
    assert.equal((await client.insert({ table, values, format: 'JSONEachRow' })).executed, true)
    assert.deepEqual(await contentOf(table), [])
  })

  await t.test('more than is held at once', async () => {
    const table = await createTable()
    const values = Readable.from(manyRows(2_000), { objectMode: true })
    const { summary } = await client.insert({ table, values, format: 'JSONEachRow' })
    assert.equal(summary?.written_rows, '2000')
    const query = `SELECT count(), sum(id), sum(length(name)) FROM ${table}`
    const found = await (await client.query({ query, format: 'JSONCompactEachRow' })).json()
    assert.deepEqual(found, [[2_000, 1_999_000, 600_000]])
  })

  await t.test('what cannot be read, and what breaks off, leaves nothing', async () => {
    const table = await createTable()
    const bad = { ...rows[0], id: 'seven' }
    await assert.rejects(client.insert({ table, values: [...rows, bad], format: 'JSONEachRow' }), (error) => {
      assert.ok(error instanceof ClickHouseError)
      assert.match(`${error.code} ${error.type}`, /^(27|72|117) (CANNOT_PARSE_|INCORRECT_DATA)/)
      return true
    })
    const failing = async function* () {
      for (let id = 0; id < 2_000; id += 1) yield Buffer.from(`${id},${String(id).padEnd(300)},[]\n`)
      throw new Error('the source ran dry')
    }
    const values = Readable.from(failing(), { objectMode: false })
    await assert.rejects(client.insert({ table, values, format: 'CSV' }), /ran dry/)
    assert.deepEqual(await contentOf(table), [])
    await assert.rejects(client.insert({ table: 'nowhere', values: rows, format: 'JSONEachRow' }), {
      code: '60',
      type: 'UNKNOWN_TABLE',
    })
    assert.equal((await client.insert({ table, values: arrays })).summary?.written_rows, '3')
  })
}

const rows = [
  { id: 1, name: "it's", tags: ['a', 'b'] },
  { id: 2, name: 'l1\nl2', tags: [] },
  { id: 3, name: 'длина', tags: ['ü'] },
]
const texts = rows.map(({ id, name, tags }) => ({
  id: String(id),
  name,
  tags: `[${tags.map((tag) => `'${tag}'`).join()}]`,
}))
const arrays = rows.map(({ id, name, tags }) => [id, name, tags])
const names = ['id', 'name', 'tags']
const types = ['UInt32', 'String', 'Array(String)']
const meta = names.map((name, index) => ({ name, type: types[index] ?? '' }))
const columns = { id: [1, 2, 3], name: rows.map(({ name }) => name), tags: rows.map(({ tags }) => tags) }

const bytes = (...chunks: string[]): Readable =>
  Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)),
    { objectMode: false },
  )

/** Swaps the first two columns of this CSV. */
const swapped = (csv: string): string => csv.replaceAll(/^(\d),("[^"]*"|[^,"]*),/gm, '$2,$1,')

function* manyRows(count: number) {
  for (let id = 0; id < count; id += 1) yield { id, name: String(id).padEnd(300), tags: [] }
}
