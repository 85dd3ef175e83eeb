import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import {
  brotliCompressSync,
  brotliDecompressSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib'
import { createBlockDecoder, createBlockEncoder } from '../../src/lib/clickhouse/compressed-blocks.ts'
import { failure, type HttpCaller, type HttpReply } from './http-caller.ts'
import { emulated } from './warehouse.ts'

/** Formats and compressions of request bodies and answers. */
export async function bodiesAreRead(t: TestContext, call: HttpCaller): Promise<void> {
  const columns =
    'id UInt32, name String, tags Array(Nullable(String)), at DateTime64(3), price Decimal(18, 4)'
  const done = (reply: HttpReply): HttpReply => {
    assert.equal(reply.status, 200, reply.text.slice(0, 500))
    return reply
  }
  const make = async (table: string) => {
    done(await call({}, `CREATE TABLE ${table} (${columns}) ENGINE = MergeTree ORDER BY id`))
  }
  /** The count of each row. */
  const content = async (table: string): Promise<string> => {
    const sql = `SELECT *, count() FROM ${table} GROUP BY ALL ORDER BY id`
    return done(await call({ default_format: 'CSV' }, sql)).text
  }
  const rows = (times: number): string => lines.map((line) => `${line},${times}\n`).join('')
  const csv = lines.map((line) => `${line}\n`).join('')
  const intoCompressed = { query: 'INSERT INTO compressed FORMAT CSV' }

  await make('plain')
  await make('compressed')

  await t.test('the same rows in every format, in and out again', async () => {
    done(await call({ query: 'INSERT INTO plain FORMAT CSV' }, csv))
    assert.equal(await content('plain'), rows(1))
    await make('copied')
    for (const format of formats) {
      const sql = `SELECT * FROM plain ORDER BY id FORMAT ${format}`
      const { bytes, headers } = done(await call({}, sql))
      assert.equal(headers['x-clickhouse-format'], format)
      const written = done(await call({ query: `INSERT INTO copied FORMAT ${format}` }, bytes))
      assert.match(String(written.headers['x-clickhouse-summary']), /"written_rows":"3"/, format)
    }
    assert.equal(await content('copied'), rows(formats.length))
  })

  await t.test('binary data right behind its statement', async () => {
    await make('behind')
    for (const format of ['Native', 'RowBinary']) {
      const { bytes } = done(await call({}, `SELECT * FROM plain FORMAT ${format}`))
      done(await call({}, Buffer.concat([Buffer.from(`INSERT INTO behind FORMAT ${format}\n`), bytes])))
    }
    assert.equal(await content('behind'), rows(2))
  })

  await t.test('compressed bodies', async () => {
    const send = (body: Buffer, encoding: string, search: Record<string, string> = intoCompressed) =>
      call(search, body, { headers: { 'Content-Encoding': encoding } })
    for (const [encoding, { pack }] of Object.entries(codecs)) {
      done(await send(pack(Buffer.from(csv)), encoding))
    }
    // Node has no LZ4, so the engine's own output is sent back to it.
    const search = { enable_http_compression: '1', default_format: 'CSV' }
    const sql = 'SELECT * FROM plain ORDER BY id'
    const lz4 = done(await call(search, sql, { headers: { 'Accept-Encoding': 'lz4' } }))
    assert.equal(lz4.headers['content-encoding'], 'lz4')
    done(await send(lz4.bytes, 'lz4'))
    done(await send(gzipSync(`INSERT INTO compressed FORMAT CSV\n${csv}`), 'gzip', {}))
    assert.equal(done(await send(zstdCompressSync('SELECT 7'), 'zstd', {})).text, '7\n')
    assert.equal(await content('compressed'), rows(6))
  })

  await t.test('blocks of ClickHouse', async () => {
    for (const method of ['lz4', 'zstd', 'none'] as const) {
      done(await call({ ...intoCompressed, decompress: '1' }, await toBlocks(Buffer.from(csv), method)))
    }
    const native = done(await call({ compress: '1' }, 'SELECT * FROM plain FORMAT Native'))
    const query = 'INSERT INTO compressed FORMAT Native'
    done(await call({ query, decompress: '1' }, native.bytes))
    assert.equal(await content('compressed'), rows(10))
    assert.ok((await fromBlocks(native.bytes)).includes("it's"))
  })

  await t.test('compressed answers, to those who ask for them', async () => {
    const sql = "SELECT number, repeat('x', 50) FROM numbers(5000)"
    const expected = done(await call({}, sql)).bytes
    const ask = async (accept: string, search: Record<string, string> = { enable_http_compression: '1' }) =>
      done(await call(search, sql, { headers: { 'Accept-Encoding': accept } }))
    for (const [encoding, { unpack }] of Object.entries(codecs)) {
      const { bytes, headers } = await ask(encoding)
      assert.equal(headers['content-encoding'], encoding)
      assert.ok(bytes.length < expected.length / 2, encoding)
      assert.ok(unpack(bytes).equals(expected), encoding)
    }
    const best = await ask('gzip;q=0.5, zstd;q=0.8, rot13')
    assert.equal(best.headers['content-encoding'], 'zstd')
    for (const plain of [await ask('gzip', {}), await ask('rot13'), await ask('gzip;q=0')]) {
      assert.equal(plain.headers['content-encoding'], undefined)
      assert.ok(plain.bytes.equals(expected))
    }
    const blocks = done(await call({ compress: '1' }, sql))
    assert.ok((await fromBlocks(blocks.bytes)).equals(expected))
    const waited = await ask('gzip', { enable_http_compression: '1', wait_end_of_query: '1' })
    assert.ok(gunzipSync(waited.bytes).equals(expected))
    const failed = await call({ enable_http_compression: '1' }, 'SELECT nothing', {
      headers: { 'Accept-Encoding': 'gzip' },
    })
    assert.equal(failed.headers['content-encoding'], 'gzip')
    const text = gunzipSync(failed.bytes).toString()
    assert.deepEqual(failure({ ...failed, text }), ['47', 404, 'UNKNOWN_IDENTIFIER'])
  })

  await t.test('what is damaged leaves nothing', async () => {
    const gzip = { headers: { 'Content-Encoding': 'gzip' } }
    const whole = gzipSync(csv)
    for (const body of [Buffer.from('no gzip at all'), whole.subarray(0, whole.length - 12)]) {
      const reply = await call(intoCompressed, body, gzip)
      assert.match(reply.text, /^Code: \d+\. DB::Exception: /)
      assert.ok(reply.status >= 400)
    }
    const unknown = await call(intoCompressed, csv, { headers: { 'Content-Encoding': 'rot13' } })
    assert.deepEqual(failure(unknown), ['48', 501, 'NOT_IMPLEMENTED'])
    const blocks = await toBlocks(Buffer.from(csv), 'lz4')
    blocks.writeUInt8(blocks.readUInt8(0) ^ 1, 0)
    const damaged = await call({ ...intoCompressed, decompress: '1' }, blocks)
    assert.deepEqual(failure(damaged), ['40', 500, 'CHECKSUM_DOESNT_MATCH'])
    for (const format of ['Native', 'RowBinary', 'Parquet', 'Arrow']) {
      const reply = await call({ query: `INSERT INTO compressed FORMAT ${format}` }, 'neither this nor that')
      assert.ok(reply.status >= 400, `${format}: ${reply.status} ${reply.text}`)
      assert.notEqual(failure(reply)[2], '', format)
    }
    assert.equal(await content('compressed'), rows(10))
  })
}

const lines = [
  `1,"it's","['a',NULL]","2024-02-29 12:34:56.789",12.3456`,
  `2,"l1\nl2","[]","1970-01-01 00:00:00.000",-0.5`,
  `3,"длина ""雪""","['','ü']","2100-01-01 23:59:59.999",0`,
]

/** Few formats: each new one costs an emulated engine seconds. */
const formats = [
  ...['Native', 'RowBinary', 'Parquet', 'Arrow', 'ArrowStream', 'CSVWithNames', 'JSONEachRow'],
  ...(emulated ? [] : ['RowBinaryWithNames', 'RowBinaryWithNamesAndTypes', 'ORC', 'Avro', 'MsgPack']),
  ...(emulated ? [] : ['TabSeparated', 'TSKV', 'Values', 'JSON', 'JSONColumns', 'BSONEachRow']),
]

interface Codec {
  pack: (bytes: Buffer) => Buffer
  unpack: (bytes: Buffer) => Buffer
}

/** By their names in HTTP. */
const codecs: Record<string, Codec> = {
  gzip: { pack: gzipSync, unpack: gunzipSync },
  deflate: { pack: deflateSync, unpack: inflateSync },
  br: { pack: brotliCompressSync, unpack: brotliDecompressSync },
  zstd: { pack: zstdCompressSync, unpack: zstdDecompressSync },
}

async function toBlocks(bytes: Buffer, method: 'lz4' | 'zstd' | 'none'): Promise<Buffer> {
  const encoder = createBlockEncoder({ method, blockBytes: 64 })
  encoder.end(bytes)
  return Buffer.concat((await encoder.toArray()) as Buffer[])
}

async function fromBlocks(bytes: Buffer): Promise<Buffer> {
  const decoder = createBlockDecoder()
  decoder.end(bytes)
  return Buffer.concat((await decoder.toArray()) as Buffer[])
}
