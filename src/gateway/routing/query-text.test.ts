import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { type BlockMethod, createBlockEncoder } from '../../lib/clickhouse/compressed-blocks.ts'
import { readQueryText as read, type TextQuestion } from './query-text.ts'

const text = 'INSERT INTO t FORMAT JSONEachRow {"a": "ü"}'
const plain = { contentEncoding: '', contentType: '' }
const readQueryText = (bytes: Buffer, headers: TextQuestion['headers'], hasCompressedBody: boolean) =>
  read({ method: 'POST', target: { queries: [], hasCompressedBody }, headers }, bytes)

async function blocks(bytes: Buffer, method: BlockMethod): Promise<Buffer> {
  const encoder = createBlockEncoder({ method, blockBytes: 1024 })
  encoder.end(bytes)
  return buffer(encoder)
}

test('plain text, and text in each encoding', () => {
  assert.equal(readQueryText(Buffer.from(text), plain, false), text)
  const encodings = {
    gzip: gzipSync,
    'x-gzip': gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
  }
  for (const [contentEncoding, compress] of Object.entries(encodings)) {
    const bytes = compress(Buffer.from(text))
    assert.equal(readQueryText(bytes, { ...plain, contentEncoding }, false), text, contentEncoding)
  }
})

test('the beginning is enough', () => {
  const long = Buffer.concat([Buffer.from(`${text}\n`), randomBytes(200_000)])
  for (const [contentEncoding, compress] of Object.entries({
    gzip: gzipSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
  })) {
    const part = compress(long).subarray(0, 150_000)
    const read = readQueryText(part, { ...plain, contentEncoding }, false)
    assert.ok(read?.startsWith(text), contentEncoding)
  }
})

test("ClickHouse's own blocks", async () => {
  for (const method of ['lz4', 'zstd', 'none'] as const) {
    assert.equal(readQueryText(await blocks(Buffer.from(text), method), plain, true), text, method)
  }
  const two = await blocks(Buffer.from(text.padEnd(1024) + 'x'.repeat(1024)), 'lz4')
  assert.equal(readQueryText(two.subarray(0, two.length - 3), plain, true)?.trim(), text)
})

test('what cannot be read is null: unknown, damaged, cut off, or a bomb', async () => {
  const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024))
  const block = await blocks(Buffer.from(text), 'lz4')
  const large = Buffer.from(block)
  large.writeUInt32LE(0x7fffffff, 21)
  for (const [bytes, contentEncoding, isInBlocks] of [
    [Buffer.from(text), 'lz4', false],
    [Buffer.from(text), 'gzip', false],
    [bomb, 'gzip', false],
    [block.subarray(0, 20), '', true],
    [block.subarray(0, block.length - 1), '', true],
    [large, '', true],
    [Buffer.alloc(0), '', true],
  ] as const) {
    assert.equal(readQueryText(bytes, { ...plain, contentEncoding }, isInBlocks), null)
  }
})

test('the query of a form', () => {
  const form = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: text/plain\r\n\r\n${value}\r\n`
  const readForm = (body: string) =>
    readQueryText(Buffer.from(body), { ...plain, contentType: 'multipart/form-data; boundary=b' }, false)
  assert.equal(readForm(`${form('param_a', '1')}${form('query', 'SELECT\n1')}--b--\r\n`), 'SELECT\n1')
  assert.equal(readForm(form('data', 'query')), null)
  assert.equal(readForm(form('query', 'SELECT 1').slice(0, -4)), 'SELECT')
  assert.equal(
    readForm(`${form('query', 'SELECT')}${form('a', '; name="query"')}${form('query', ' 1')}--b--`),
    'SELECT 1',
  )
  assert.equal(readForm(`${form('a', '1')}--b--`), '')
  assert.equal(readForm('no form'), null)
})

test('the text is what the replica takes for it: URL and body together', () => {
  const of = (method: string, queries: string[], body: string, contentType = '') =>
    read(
      { method, target: { queries, hasCompressedBody: null }, headers: { ...plain, contentType } },
      Buffer.from(body),
    )
  assert.equal(of('POST', ['/**/', 'SELECT 1'], 'CREATE TABLE t'), '/**/\nCREATE TABLE t')
  assert.equal(of('POST', ['', 'SELECT 1'], 'CREATE TABLE t'), 'CREATE TABLE t')
  assert.equal(of('POST', [' '], 'x'), ' \nx')
  assert.equal(of('GET', ['a', 'b'], 'c'), 'a')
  assert.equal(of('HEAD', ['a', 'b'], 'c'), 'a')
  const form = '--b\r\nContent-Disposition: form-data; name="query"\r\n\r\nc\r\n--b--'
  assert.equal(of('POST', ['a', 'b'], form, 'Multipart/Form-Data; boundary=b'), 'abc')
  assert.equal(of('GET', ['a', 'b'], form, 'multipart/form-data; boundary=b'), 'a')
})
