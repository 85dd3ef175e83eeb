import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type ClickHouseClient, ClickHouseError, createClient, TupleParam } from '@clickhouse/client'
import type { TestReplica } from './test-replica.ts'

/** For tests: what the official client does, done to a replica. */
export function walkWithClient(getReplica: () => TestReplica): void {
  const open = (options: object = {}): ClickHouseClient =>
    createClient({ url: getReplica().url, database: 'd', request_timeout: 120_000, ...options })

  async function withClient(use: (client: ClickHouseClient) => Promise<void>, options = {}): Promise<void> {
    const client = open(options)
    try {
      await use(client)
    } finally {
      await client.close()
    }
  }

  const makeTable = (client: ClickHouseClient, name: string) =>
    client.command({
      query: `CREATE OR REPLACE TABLE ${name} (id UInt32, name String, tags Array(String)) ENGINE = MergeTree ORDER BY id`,
    })

  const row = (id: number) => ({ id, name: `n${id}`, tags: ['a', String(id)] })

  for (const compression of [
    { request: false, response: false },
    { request: true, response: true },
  ]) {
    test(`the official client inserts and queries, compression ${compression.request ? 'on' : 'off'}`, () =>
      withClient(
        async (client) => {
          assert.deepEqual(await client.ping(), { success: true })
          assert.deepEqual(await client.ping({ select: true }), { success: true })
          await makeTable(client, 'walk')
          const { summary } = await client.insert({
            table: 'walk',
            values: [row(1), row(2)],
            format: 'JSONEachRow',
          })
          assert.equal(summary?.written_rows, '2')
          const lines = Readable.from(Array.from({ length: 1000 }, (_, index) => row(index + 3)))
          await client.insert({ table: 'walk', values: lines, format: 'JSONEachRow' })
          const csv = Readable.from(['2001,"x",[]\n', '2002,"y",[]\n'], { objectMode: false })
          await client.insert({ table: 'walk', values: csv, format: 'CSV' })
          await client.insert({ table: 'walk', values: [], format: 'JSONEachRow' })
          const all = await client.query({ query: 'SELECT count() AS n FROM walk', format: 'JSON' })
          assert.deepEqual((await all.json<{ n: number }>()).data, [{ n: 1004 }])

          const { stream } = await client.exec({
            query: 'SELECT id FROM walk ORDER BY id LIMIT 2 FORMAT CSV',
          })
          assert.equal((await stream.toArray()).join(''), '1\n2\n')
          const result = await client.query({
            query: 'SELECT * FROM walk ORDER BY id',
            format: 'JSONEachRow',
          })
          let seen = 0
          for await (const rows of result.stream<{ id: number }>()) seen += rows.length
          assert.equal(seen, 1004)
        },
        { compression },
      ))
  }

  test('the official client reads every family of formats', () =>
    withClient(async (client) => {
      const query = "SELECT number AS n, 'x' AS s FROM numbers(2)"
      for (const format of ['JSONEachRow', 'JSONCompactEachRow', 'JSONStringsEachRow'] as const) {
        assert.equal((await (await client.query({ query, format })).json<unknown>()).length, 2, format)
      }
      for (const format of ['JSON', 'JSONCompact', 'JSONStrings', 'JSONColumnsWithMetadata'] as const) {
        assert.equal((await (await client.query({ query, format })).json<unknown>()).rows, 2, format)
      }
      for (const format of ['CSV', 'CSVWithNames', 'TabSeparated', 'CustomSeparated'] as const) {
        assert.match(
          await (await client.query({ query, format })).text(),
          /0[,\t]"?x"?\n1[,\t]"?x"?\n$/,
          format,
        )
      }
    }))

  test('the official client hands over parameters of every type', () =>
    withClient(async (client) => {
      const types = {
        i: ['Int64', -5],
        f: ['Float64', 1.5],
        b: ['Bool', true],
        s: ['String', "it's\ta \\ \n 'string' – ü"],
        d: ['DateTime64(3)', new Date('2024-01-02T03:04:05.678Z')],
        a: ['Array(String)', ['x', "y'"]],
        t: ['Tuple(Int32, String)', new TupleParam([1, 'z'])],
        m: ['Map(String, UInt8)', { k: 1 }],
        n: ['Nullable(String)', null],
        u: ['UUID', '61f0c404-5cb3-11e7-907b-a6006ad3dba0'],
        ident: ['Identifier', 'number'],
      } as const
      const { ident: _, ...values } = types
      const columns = Object.entries(values).map(([name, [type]]) => `{${name}: ${type}} AS ${name}`)
      const query = `SELECT ${columns.join(', ')}, {ident: Identifier} AS ident FROM numbers(1)`
      const query_params = Object.fromEntries(Object.entries(types).map(([name, [, value]]) => [name, value]))
      for (const use_multipart_params of [false, true]) {
        const result = await client.query({
          query,
          query_params,
          format: 'JSONEachRow',
          use_multipart_params,
        })
        const [got] = await result.json<Record<string, unknown>>()
        assert.equal(got?.['s'], types.s[1])
        assert.deepEqual([got?.['i'], got?.['f'], got?.['b'], got?.['n']], [-5, 1.5, true, null])
        assert.deepEqual([got?.['a'], got?.['m'], got?.['t']], [['x', "y'"], { k: 1 }, [1, 'z']])
        assert.deepEqual([got?.['d'], got?.['ident']], ['2024-01-02 03:04:05.678', 0])
      }
    }))

  test('the official client has sessions with temporary tables', () =>
    withClient(
      async (client) => {
        await client.command({ query: 'CREATE TEMPORARY TABLE mine (a Int32)' })
        await client.insert({ table: 'mine', values: [{ a: 1 }, { a: 2 }], format: 'JSONEachRow' })
        const sum = await client.query({ query: 'SELECT sum(a) AS s FROM mine', format: 'JSONEachRow' })
        assert.deepEqual(await sum.json(), [{ s: 3 }])
      },
      { session_id: 'client-session' },
    ))

  test('the official client understands errors, also in the middle of a result', () =>
    withClient(
      async (client) => {
        const failure = client.query({ query: 'SELECT * FROM nope' })
        await assert.rejects(failure, (error) => error instanceof ClickHouseError && error.code === '60')
        const query = 'SELECT number, throwIf(number = 400000) FROM numbers(500000)'
        const settings = { clickhouse_settings: { max_block_size: '10000' } }
        const result = await client.query({ query, format: 'JSONEachRow', ...settings })
        await assert.rejects(
          async () => {
            for await (const _rows of result.stream());
          },
          (error) => error instanceof ClickHouseError && error.type === 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO',
        )
        const bad = client.insert({
          table: 'walk',
          values: [{ id: 'x' }],
          format: 'JSONEachRow',
        })
        await assert.rejects(bad, ClickHouseError)
      },
      { log: { level: 127 } },
    ))

  test('the official client breaks off a query', () =>
    withClient(async (client) => {
      const cut = new AbortController()
      const query = 'SELECT sum(number) FROM numbers(1000000000000)'
      const running = client.query({ query, abort_signal: cut.signal, query_id: 'cut-by-client' })
      const isRunning = async () => {
        const sql = `SELECT count() FROM system.processes WHERE query LIKE 'SELECT sum(number) FROM numbers(1%'`
        return (await getReplica().text(sql)) !== '0\n'
      }
      while (!(await isRunning())) await setTimeout(20)
      cut.abort()
      await assert.rejects(running, /aborted/)
      while (await isRunning()) await setTimeout(20)
    }))
}
