import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, suite, test } from 'node:test'
import { type Reply, startTestReplica, type TestReplica } from '../../../../../test/support/test-replica.ts'
import { createBlockDecoder, createBlockEncoder } from '../../../../lib/clickhouse/compressed-blocks.ts'
import { resolveRuntime } from '../../runtime.ts'
import { createDecoder, createEncoder, type Encoding } from './encodings.ts'
import { maxValuesBytes } from './read-work.ts'

const runtime = resolveRuntime()
const skip = 'missing' in runtime ? runtime.missing : false
const encodings: Encoding[] = ['gzip', 'deflate', 'br', 'zstd', 'lz4', 'snappy', 'xz']

suite('bodies and answers in every encoding', { skip, concurrency: false }, () => {
  let replica: TestReplica
  before(async () => {
    if ('missing' in runtime) return
    replica = await startTestReplica(runtime)
    await replica.text('CREATE TABLE v (a UInt64, s String) ENGINE = Null')
    await replica.text('CREATE TABLE sums (n UInt64, bytes UInt64) ENGINE = MergeTree ORDER BY ()')
    await replica.text(
      'CREATE MATERIALIZED VIEW m TO sums AS SELECT count() AS n, sum(length(s)) AS bytes FROM v',
    )
  })
  after(async () => {
    assert.equal(await replica?.stop(), 0)
  })

  const done = (reply: Reply): Reply => {
    assert.equal(reply.status, 200, reply.text.slice(0, 500))
    return reply
  }
  const isInserted = async (rows: number, what: string) => {
    const counted = await replica.text('SELECT sum(n), sum(bytes) FROM sums')
    assert.equal(counted, `${rows}\t${rows * rowBytes}\n`, what)
    await replica.text('TRUNCATE TABLE sums')
  }

  test('VALUES and statements of any size, with their length and without', async () => {
    for (const bytes of [300_000, 1_000_000, maxValuesBytes + 1_000_000]) {
      const rows = Math.ceil(bytes / (rowBytes + 10))
      const values = valuesOf(rows)
      for (const start of ['INSERT INTO v VALUES ', 'INSERT INTO v FORMAT Values ']) {
        done(await replica.send('', start + values))
        await isInserted(rows, `${start} ${bytes}`)
        done(await replica.send('', inPieces(Buffer.from(start + values))))
        await isInserted(rows, `${start} ${bytes} in pieces`)
      }
      done(await replica.send('query=INSERT+INTO+v+VALUES', values))
      await isInserted(rows, `values ${bytes}`)
      const sql = `SELECT length('${'x'.repeat(bytes)}')`
      assert.equal(done(await replica.send('max_query_size=100000000', sql)).text, `${bytes}\n`)
      const refused = await replica.send('', inPieces(Buffer.from(sql)))
      assert.match(refused.text, /^Code: 62\. .*Max query size exceeded/)
    }
  })

  test('VALUES, statements and both together in every encoding', async () => {
    const rows = 3_000
    const values = valuesOf(rows)
    for (const encoding of [...encodings, 'blocks'] as const) {
      const send = async (search: string, text: string) => {
        const body = inPieces(await encode(encoding, text))
        const headers = encoding === 'blocks' ? {} : { 'Content-Encoding': encoding }
        return done(
          await replica.send(`${search}&decompress=${encoding === 'blocks' ? 1 : 0}`, body, { headers }),
        )
      }
      await send('', `INSERT INTO v VALUES ${values}`)
      await isInserted(rows, encoding)
      await send('query=INSERT+INTO+v+VALUES', `${values}, (1 + 1, repeat('x', ${rowBytes}))`)
      await isInserted(rows + 1, `${encoding}, an expression`)
      assert.equal((await send('', `SELECT length('${'x'.repeat(200_000)}')`)).text, '200000\n')
      await send('', `INSERT INTO v FORMAT CSV\n${csvOf(rows)}`)
      await isInserted(rows, `${encoding}, CSV`)
    }
  })

  test('megabytes of rows arrive as they were sent, and leave as they are', async () => {
    const rows = 100_000
    const shown = `hex(cityHash64(number)) || hex(number) FROM numbers(${rows})`
    const { text } = done(await replica.send('', `SELECT ${shown}`))
    await replica.text('CREATE TABLE streamed (s String) ENGINE = MergeTree ORDER BY ()')
    const sums = 'count(), sum(cityHash64(s))'
    const expected = await replica.text(
      `SELECT ${sums} FROM (SELECT ${shown.replace(' FROM', ' AS s FROM')})`,
    )
    for (const encoding of ['none', ...encodings, 'blocks'] as const) {
      const body = `INSERT INTO streamed FORMAT TSV\n${text}`
      const sent = encoding === 'none' ? Buffer.from(body) : await encode(encoding, body)
      const isNamed = encoding !== 'none' && encoding !== 'blocks'
      const headers = isNamed ? { 'Content-Encoding': encoding } : {}
      done(await replica.send(`decompress=${encoding === 'blocks' ? 1 : 0}`, inPieces(sent), { headers }))
      assert.equal(await replica.text(`SELECT ${sums} FROM streamed`), expected, encoding)
      await replica.text('TRUNCATE TABLE streamed')
    }
  })

  test('what is damaged leaves nothing', async () => {
    for (const encoding of encodings) {
      const whole = await encode(encoding, `INSERT INTO v FORMAT CSV\n${csvOf(1_000)}`)
      const garbage = Buffer.alloc(1_000, 'nothing of the kind')
      for (const [search, body] of [
        ['', whole.subarray(0, -2)],
        ['', garbage],
        ['query=INSERT+INTO+v+FORMAT+CSV', garbage],
      ] as const) {
        const reply = await replica.send(search, body, { headers: { 'Content-Encoding': encoding } })
        assert.match(reply.text, /^Code: \d+\. DB::Exception: /, `${encoding} ${search}`)
      }
    }
    await isInserted(0, 'damaged')
  })

  test('errors and exceptions come in the encoding that was asked for', async () => {
    const endless =
      'SELECT number, cityHash64(number), throwIf(number = 40000) FROM numbers(50000) SETTINGS max_block_size = 1000'
    for (const encoding of encodings) {
      const asked = { headers: { 'Accept-Encoding': encoding } }
      const search = 'enable_http_compression=1'
      for (const [sql, code] of [
        ['SELECT nothing', 47],
        ['SELEC', 62],
        ['SYSTEM SHUTDOWN', 497],
      ] as const) {
        const { headers, bytes } = await replica.send(search, sql, asked)
        assert.equal(headers['content-encoding'], encoding)
        assert.equal(headers['x-clickhouse-exception-code'], String(code))
        assert.match((await decode(encoding, bytes)).toString(), new RegExp(`^Code: ${code}\\. .*\\n$`, 's'))
      }
      const broken = await replica.send(search, endless, asked)
      assert.deepEqual([broken.status, broken.complete], [200, false])
      const text = (await decode(encoding, broken.bytes)).toString('latin1')
      assert.match(text.slice(0, 60), /^0\t\d+\t0\n1\t/)
      assert.match(text.slice(-500), /\r\n__exception__\r\n.*Code: 395.*__exception__\r\n$/s, encoding)
    }
    const { headers, bytes } = await replica.send('compress=1', 'SELECT nothing')
    assert.equal(headers['content-encoding'], undefined)
    assert.match((await decode('blocks', bytes)).toString(), /^Code: 47\. /)
    const unknown = await replica.send('compress=1&no_such_setting=1', 'SELECT 1')
    assert.match((await decode('blocks', unknown.bytes)).toString(), /^Code: 115\. /)
  })

  test('lines of progress come between the rows, and an exception behind them', async () => {
    const sql = 'SELECT sleep(0.1) AS foo FROM numbers(2) FORMAT JSONEachRowWithProgress'
    const lines = done(await replica.send('max_block_size=1', sql))
      .text.trim()
      .split('\n')
    const kinds = lines.map((line) => Object.keys(JSON.parse(line) as object)[0])
    assert.deepEqual(kinds, ['progress', 'meta', 'row', 'progress', 'row'])
    const failing =
      "SELECT throwIf(number = 10, 'boom'), sleepEachRow(0.001) FROM system.numbers LIMIT 100 FORMAT JSONEachRowWithProgress"
    const broken = await replica.send('max_block_size=1', failing)
    assert.deepEqual([broken.status, broken.complete], [200, false])
    assert.match(broken.text, /"row".*__exception__\r\n.*Code: 395.*boom/s)
    const event = await replica.send('max_block_size=1&http_write_exception_in_output_format=1', failing)
    assert.deepEqual([event.status, event.complete], [200, true])
    assert.match(event.text, /"row".*\n\{"exception":"Code: 395\..*boom.*"\}\n$/s)
    assert.match((await replica.send('interactive_delay=0', 'SELECT 1')).text, /^Code: 452\. /)
  })

  test('every setting with the value that it has, or began with', async () => {
    for (const column of ['value', 'default']) {
      const rows = await replica.text(`SELECT name, ${column} FROM system.settings FORMAT JSONCompactEachRow`)
      const settings = rows
        .trim()
        .split('\n')
        .map((row) => JSON.parse(row) as [string, string])
      assert.ok(settings.length > 1_000)
      const search = new URLSearchParams(settings).toString()
      assert.equal(done(await replica.send(search, 'SELECT 1')).text, '1\n', column)
    }
    assert.match((await replica.send('format_schema_source=query', 'SELECT 1')).text, /^Code: 452\. /)
  })
})

const rowBytes = 90

const valuesOf = (rows: number): string =>
  Array.from({ length: rows }, (_, index) => `(${index},'${'x'.repeat(rowBytes)}')`).join(',')

const csvOf = (rows: number): string =>
  Array.from({ length: rows }, (_, index) => `${index},${'x'.repeat(rowBytes)}\n`).join('')

function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000)
}

/** A body without a Content-Length. */
const inPieces = (bytes: Buffer): Readable => Readable.from(slices(bytes), { objectMode: false })

async function encode(encoding: Encoding | 'blocks', text: string): Promise<Buffer> {
  const encoder = encoding === 'blocks' ? createBlockEncoder() : createEncoder(encoding, 3)
  encoder.end(text)
  return Buffer.concat((await encoder.toArray()) as Buffer[])
}

async function decode(encoding: Encoding | 'blocks', bytes: Buffer): Promise<Buffer> {
  const decoder = encoding === 'blocks' ? createBlockDecoder() : createDecoder(encoding)
  decoder.end(bytes)
  return Buffer.concat((await decoder.toArray()) as Buffer[])
}
